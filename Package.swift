// swift-tools-version: 6.2
import PackageDescription

// The floors of the house, from the ground up. A target depends only on what stands above it in this file.

/// The system's C libraries, imported through module maps with small inline shims.
/// No pkg-config: the module maps name what to link, which keeps SwiftPM's flag warnings out.
let systemLibraries: [Target] = [
  .systemLibrary(name: "CLinux"),
  .systemLibrary(name: "CDBus", pkgConfig: "dbus-1"),
  .systemLibrary(name: "CCurl"),
  .systemLibrary(name: "CSQLite"),
  .systemLibrary(name: "CPulse"),
  .systemLibrary(name: "CMpg123"),
  .systemLibrary(name: "CSonic"),
  .systemLibrary(name: "COpusFile", pkgConfig: "opusfile"),
  .systemLibrary(name: "CVorbisFile"),
  .systemLibrary(name: "CEBUR128"),
  .systemLibrary(name: "CAVFormat"),
  .systemLibrary(name: "CMicrohttpd"),
]

let ground: [Target] = [
  .target(name: "CCurlLoader", linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "CMicrohttpdLoader", linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "Reactor", dependencies: ["CLinux"]),
  .target(name: "Settings", dependencies: ["Reactor"]),
  .target(name: "DBus", dependencies: ["Reactor", "CDBus", "CLinux"]),
  .target(name: "HTTP", dependencies: ["Reactor", "CLinux", "CCurl", "CCurlLoader"]),
  .target(name: "Formats", dependencies: ["Reactor"]),
  .target(name: "DecodeWire"),
]

let means: [Target] = [
  .target(name: "Media", dependencies: ["Reactor", "HTTP"]),
  .target(
    name: "Audio",
    dependencies: [
      "Reactor", "Formats", "Media", "DecodeWire", "CLinux", "CPulse", "CMpg123", "CSonic", "COpusFile",
      "CEBUR128",
    ]),
  .target(name: "IPX", dependencies: ["Reactor", "DBus", "HTTP", "CLinux"]),
  .target(name: "Store", dependencies: ["Reactor", "CSQLite"]),
]

let centre: [Target] = [
  .target(name: "Library", dependencies: ["Reactor", "Settings", "HTTP", "Formats", "Media", "IPX", "Store", "CLinux"]),
  .target(name: "Player", dependencies: ["Reactor", "Settings", "Media", "Audio", "Library"]),
]

let faces: [Target] = [
  .target(name: "MPRIS", dependencies: ["Reactor", "DBus", "Library", "Player"]),
  .target(name: "Remote", dependencies: ["Reactor", "DBus", "Library", "Player"]),
  .target(name: "AVRCP", dependencies: ["Reactor"]),
  .target(name: "Car", dependencies: ["Reactor", "Settings", "DBus", "AVRCP", "Library", "Player", "CLinux"]),
  .target(name: "CommandLine", dependencies: ["Reactor", "Settings", "DBus", "IPX"]),
]

let programs: [Target] = [
  .target(
    name: "EmbeddedServer", dependencies: ["Reactor", "Formats", "CMicrohttpd", "CMicrohttpdLoader", "CLinux"], exclude: ["Demo"]),
  .target(
    name: "Daemon",
    dependencies: [
      "Reactor", "Settings", "DBus", "HTTP", "Media", "Audio", "IPX", "Store", "Library", "Player", "MPRIS", "Remote",
      "AVRCP", "Car", "EmbeddedServer", "CommandLine", "CLinux",
    ]),
  .executableTarget(name: "ipodderx-car", dependencies: ["CommandLine", "Daemon", "EmbeddedServer"]),
  .executableTarget(name: "ipodderx-car-decode", dependencies: ["DecodeWire", "CAVFormat", "CVorbisFile", "CLinux"]),
  .executableTarget(name: "ipodderx-car-listen", dependencies: ["CLinux"]),
  .executableTarget(name: "ipodderx-bench", dependencies: ["Reactor", "DBus", "AVRCP", "CLinux"]),
]

let tests: [Target] =
  [
    .target(
      name: "TestKit", dependencies: ["Reactor", "DBus", "HTTP", "Media", "CLinux"], path: "Tests/TestKit"),
    .target(name: "LibraryKit", dependencies: ["Reactor", "Library"], path: "Tests/LibraryKit"),
  ]
  + [
    "Reactor", "Settings", "DBus", "HTTP", "Formats", "Media", "Audio", "IPX", "Store", "Library", "Player", "MPRIS",
    "Remote", "AVRCP", "Car", "CommandLine", "EmbeddedServer", "Daemon",
  ].map { name in
    .testTarget(
      name: "\(name)Tests", dependencies: ["TestKit", .target(name: name)], exclude: name == "AVRCP" ? ["Bumble"] : [])
  }

/// Everything below the faces at once, on bad roads.
let roads: [Target] = [
  .testTarget(
    name: "RoadTests",
    dependencies: [
      "TestKit", "LibraryKit", "Reactor", "Settings", "DBus", "HTTP", "Media", "Audio", "Library", "Player", "Daemon",
      "ipodderx-car",
    ])
]

// The decoder's tests speak to the helper, as it is built beside them, and for it.
for target in tests where target.name == "AudioTests" { target.dependencies += ["DecodeWire", "ipodderx-car-decode"] }

// The library is tried against a real server too.
for target in tests where target.name == "LibraryTests" { target.dependencies.append("EmbeddedServer") }
// What stands above the library is tried with ones that are made for it.
for target in tests where ["PlayerTests", "MPRISTests", "RemoteTests", "CarTests"].contains(target.name) {
  target.dependencies.append("LibraryKit")
}
// mpris-proxy forwards the desktop's face; a head unit talks to the car's.
for target in tests where target.name == "CarTests" { target.dependencies += ["MPRIS", "AVRCP"] }

/// In CI and for whoever works on it, a warning is an error; a user's newer compiler may know new ones.
let strictness: [SwiftSetting] = Context.environment["IPODDERX_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
for target in ground + means + centre + faces + programs + tests + roads {
  target.swiftSettings = strictness
}
for target in ground + means + centre + faces + programs {
  target.exclude.append("README.md")
  if target.name == "ipodderx-bench" { target.exclude.append("FIGURES.md") }
}

let package = Package(
  name: "ipodderx-car",
  products: [
    .executable(name: "ipodderx-car", targets: ["ipodderx-car"]),
    .executable(name: "ipodderx-car-decode", targets: ["ipodderx-car-decode"]),
    .executable(name: "ipodderx-car-listen", targets: ["ipodderx-car-listen"]),
  ],
  targets: systemLibraries + ground + means + centre + faces + programs + tests + roads,
  swiftLanguageModes: [.v6]
)
