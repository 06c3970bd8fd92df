import Glibc

/// Makes a folder and those above it, readable by us alone unless said otherwise. What cannot be made shows where it is used.
public func makeFolders(_ path: String, mode: mode_t = 0o700) {
  for index in path.indices where path[index] == "/" && index != path.startIndex { mkdir(String(path[..<index]), mode) }
  mkdir(path, mode)
}

/// The names in a folder, without `.` and `..`, in no order; none where it cannot be read. Bytes that are no UTF-8 are replaced.
public func folderNames(_ path: String) -> [String] {
  var names: [String] = []
  eachName(in: path) { names.append(String(cString: $0)) }
  return names
}

/// As `folderNames`, with each name as the file system has it; it is good for the call only.
public func eachName(in path: String, _ body: (UnsafePointer<CChar>) -> Void) {
  guard let folder = opendir(path) else { return }
  defer { closedir(folder) }
  while let entry = readdir(folder) {
    // A record is shorter than its type says: copying the name's whole array would read past the kernel's buffer.
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
    if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { body(name) }
  }
}

/// Removes a folder of our own making with all that is in it; links are removed, not followed.
public func removeFolder(_ path: String) {
  for name in folderNames(path) {
    let child = path + "/" + name
    if unlink(child) != 0 { removeFolder(child) }
  }
  rmdir(path)
}
