import CLinux
import Glibc
import Reactor

/// What stands in one folder, hidden names and what is neither file nor folder left out. Links are followed, but not out of what is
/// served.
struct FolderListing {
  struct File {
    var name: String
    var size: Int64
    /// Microseconds since 1970.
    var modified: Int64
  }

  /// A folder by what it is rather than by its name, so that links cannot lead round in a circle.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  var files: [String: File] = [:]
  var folders: [(name: String, identity: Identity)] = []

  /// Empty where the folder is gone or may not be read.
  /// - Parameter root: what is served, all links in it resolved.
  init(_ path: String, within root: String) {
    eachName(in: path) { bytes in
      guard let name = String(validatingCString: bytes) else {
        Log.warning("A file in \(path) has a name that is not UTF-8; it is left out")
        return
      }
      guard !name.hasPrefix(".") else { return }
      var status = stat()
      guard lstat(path + "/" + name, &status) == 0 else { return }
      if status.st_mode & S_IFMT == S_IFLNK {
        guard Self.isInside(root, path + "/" + name) else {
          return Log.info("\(path)/\(name) leads out of \(root): it is not served")
        }
        guard stat(path + "/" + name, &status) == 0 else { return }
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: folders.append((name, Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))))
      case S_IFREG:
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
        files[name] = File(name: name, size: Int64(status.st_size), modified: modified)
      default: break
      }
    }
    folders.sort { $0.name < $1.name }
  }

  /// Whether what `path` leads to, through all links, lies in the folder `root`. False where it leads nowhere.
  static func isInside(_ root: String, _ path: String) -> Bool {
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    return String(cString: resolved).hasPrefix(root == "/" ? root : root + "/")
  }

  static func identity(of path: String) -> Identity? {
    var status = stat()
    return stat(path, &status) == 0 ? Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) : nil
  }

  /// The folder's path with all links resolved, if it can be served.
  static func usable(_ path: String) throws(EmbeddedServerError) -> String {
    guard let resolved = realpath(path, nil) else {
      throw EmbeddedServerError(.folderMissing, "The folder \(path) is not there: \(String(cString: strerror(errno)))")
    }
    defer { free(resolved) }
    let root = String(cString: resolved)
    var status = stat()
    guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw EmbeddedServerError(.folderMissing, "\(path) is not a folder")
    }
    guard access(root, R_OK | X_OK) == 0 else {
      throw EmbeddedServerError(.folderUnreadable, "The folder \(path) may not be read by this user")
    }
    return root
  }
}
