import Glibc
import Reactor

/// Where the bundled library lies.
enum DemoLibrary {
  /// `$IPODDERX_CAR_DEMO`, else `share/ipodderx-car/demo` of the prefix the program is installed in, else the source tree
  /// it was built in: both are looked for upwards from the program.
  static func folder() throws(EmbeddedServerError) -> String {
    if let named = getenv("IPODDERX_CAR_DEMO") { return String(cString: named) }
    var folder = Substring(OwnProgram.path)
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      for place in ["/share/ipodderx-car/demo", "/Sources/EmbeddedServer/Demo/library"] where isFolder(folder + place) {
        return folder + place
      }
    }
    throw EmbeddedServerError(
      .demoMissing, "The bundled library is not where this program was installed; IPODDERX_CAR_DEMO may name its folder")
  }

  private static func isFolder(_ path: some StringProtocol) -> Bool {
    access(String(path) + "/.", X_OK) == 0
  }
}
