import Glibc

/// Makes a folder and those above it, readable by us alone unless said otherwise. What cannot be made shows where it is used.
public func makeFolders(_ path: String, mode: mode_t = 0o700) {
  for index in path.indices where path[index] == "/" && index != path.startIndex { mkdir(String(path[..<index]), mode) }
  mkdir(path, mode)
}

/// Removes a folder of our own making with all that is in it; links are removed, not followed.
public func removeFolder(_ path: String) {
  if let folder = opendir(path) {
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let child = path + "/" + name
      if unlink(child) != 0 { removeFolder(child) }
    }
    closedir(folder)
  }
  rmdir(path)
}
