// swift-tools-version: 6.2
// One manifest for both builds: everyday development links Debian's shared libraries,
// a release build is given static ones with --pkg-config-path. No conditionals.
import PackageDescription

/// Language switches for every target of ours. `ExistentialAny` makes dynamic dispatch visible where it is paid,
/// `MemberImportVisibility` makes every file say what it uses.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For rooms through which no samples and no pictures go: their release code is a fifth smaller, and a release must fit
/// into 24 MB. SwiftPM has no other way to say it, and allows this one to root packages only, which mynah is.
let small: [SwiftSetting] = house + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// For rooms that touch every sample: tests play hours of sound, so these are optimised in debug builds as well.
let quick: [SwiftSetting] = house + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// For rooms that tests use millions of times, and in which a release has little to do with samples: the machine, JSON, what
/// seals, and what takes and clips are cut from (no figure of the gate for speed is larger for it).
let pure: [SwiftSetting] = small + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A room of the house. Its dependencies are the only arrows that the compiler lets it draw.
func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = house, documents: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: documents, swiftSettings: settings)
}

/// The tests of a room, in the folder of the same name under Tests.
func tests(of name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies,
    resources: resources,
    swiftSettings: house)
}

let package = Package(
  name: "mynah",
  products: [.executable(name: "mynah", targets: ["mynah"])],
  dependencies: [
    // The command line: subcommands, help, completion scripts and the man page from one description.
    .package(url: "https://github.com/apple/swift-argument-parser", "1.5.0"..<"2.0.0")
  ],
  targets: [
    // System libraries and thin C shims.
    // Sound in and out.
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    // Encoding, decoding, demuxing. The pkg-config file of libavformat names libavcodec and libavutil.
    .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
    // Rate and sample conversion; a library of its own because libavformat does not ask for it.
    .systemLibrary(name: "CSwresample", pkgConfig: "libswresample", providers: [.apt(["libswresample-dev"])]),
    // GPIO lines; CGPIO hides the difference between its versions 1 and 2.
    .systemLibrary(name: "CLibGPIOD", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
    .target(name: "CGPIO", dependencies: ["CLibGPIOD"]),
    // Deflate for PNG; the voices in a static program are packed by it.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Loudness by EBU R128.
    .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    // HTTP, TLS, proxies and names: libcurl.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Frames of WebSockets; Debian 12's libcurl has none.
    .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
    // Speech faster without another pitch.
    .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
    // MP3 for programs that take nothing else; libavcodec has no encoder of its own for it.
    .systemLibrary(name: "CLame", providers: [.apt(["libmp3lame-dev"])]),
    // Signatures by Ed25519, passwords by Argon2id, sealed takes: no cipher is written here.
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
    // Speech from text.
    .systemLibrary(name: "CESpeak", pkgConfig: "espeak-ng", providers: [.apt(["libespeak-ng-dev"])]),
    // TOML with source positions, header-only C++ (libtomlplusplus-dev) behind a C face.
    .target(name: "CTOML"),
    // Cameras: Video4Linux's ioctls.
    .target(name: "CV4L2"),
    // Screens: the kernel's mode setting.
    .target(name: "CDRM"),
    // Linux calls and macros that Swift cannot import.
    .target(name: "CLinux"),

    // Rooms that import nothing of ours.
    room("Hardware", ["CSwresample"], settings: quick),
    room("JSON", settings: pure),
    room("Threads", ["CLinux"], settings: small),

    // The pure machine, and what it shows.
    room("Appliance", ["Hardware", "Sealing"], settings: pure),
    room("Panel", ["Appliance", "Hardware", "CZlib"], settings: small),
    room("Console", ["Appliance", "Hardware", "JSON"], settings: small),
    room("Board", ["Hardware", "CTOML"], settings: small),
    room("Budget", ["Board", "CLinux"], settings: small),
    room("Operators", ["Console", "JSON", "CSodium"], settings: small),
    room("Doctor", ["Budget", "Hardware"], settings: small),
    room("Gadget", settings: small),

    // Features.
    room("Sound", ["Hardware", "CEBUR128", "CSonic"], settings: quick),
    room("Media", ["Hardware", "CFFmpeg", "CLame", "CSwresample"], settings: quick),
    room("Proof", ["Hardware", "JSON", "CSodium"], settings: small),
    room("Sealing", ["Hardware", "CSodium"], settings: pure),
    room("Library", ["Hardware", "JSON", "Media", "Proof", "Sealing"], settings: small),
    room("Recording", ["Hardware", "JSON", "Media", "Proof", "Sealing", "Sound", "Threads"], settings: pure),
    room("Dictaphone", ["Hardware", "Media", "Recording", "Sound"], settings: small),
    room("Clips", ["Hardware", "JSON", "Media", "Recording", "Sound", "Threads"], settings: pure),
    room("Speech", ["Hardware", "Sound", "Threads", "CESpeak", "CZlib"], settings: small),
    room("Streaming", ["Hardware", "Media"], settings: small),
    room(
      "Dubbing", ["Hardware", "JSON", "Media", "Sound", "Speech", "Streaming", "Threads"], settings: quick,
      documents: ["PROTOCOL.md"]),

    // What ties them together.
    room(
      "Runtime",
      [
        "Appliance", "Board", "Budget", "Clips", "Console", "Dictaphone", "Doctor", "Dubbing", "Hardware", "JSON",
        "Library", "Media", "Operators", "Panel", "Proof", "Recording", "Sealing", "Sound", "Speech", "Streaming",
        "Threads", "CLinux",
      ], settings: small),

    // Drivers. Only the executable and the tests may import these two.
    room("LinuxHardware", ["Hardware", "Threads", "CALSA", "CDRM", "CGPIO", "CLinux", "CV4L2"], settings: small),
    room("SimulatedHardware", ["Hardware", "Threads", "CLinux"], settings: pure),
    room("Network", ["Hardware", "Threads", "CCurl", "CLinux", "CWslay"], settings: small),

    .executableTarget(
      name: "mynah",
      dependencies: [
        "Appliance", "Board", "Budget", "Console", "Doctor", "Gadget", "Hardware", "JSON", "Library", "LinuxHardware",
        "Media", "Network", "Panel", "Proof", "Runtime", "Sealing", "SimulatedHardware", "Threads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: small),

    // Counts heap allocations a thread, by standing in for malloc; only ever linked into tests.
    .target(name: "CMallocCount", path: "Tests/CMallocCount"),

    // What tests of several rooms need: seeded numbers, folders, files in memory, tools.
    .target(name: "TestSupport", dependencies: ["Hardware"], path: "Tests/TestSupport", swiftSettings: quick),

    // Fuzzers: what reads strangers' bytes, and changes to bytes that mean something (Tests/Fuzz/README.md).
    .target(
      name: "Fuzz",
      dependencies: [
        "Appliance", "Board", "Console", "Dictaphone", "Dubbing", "Hardware", "JSON", "Library", "Media", "Network",
        "Operators", "Proof", "Runtime", "Sealing", "SimulatedHardware", "Streaming", "TestSupport",
      ],
      path: "Tests/Fuzz", exclude: ["Corpus", "README.md", "run"], swiftSettings: house),
    .executableTarget(
      name: "FuzzTool", dependencies: ["Budget", "Fuzz"], path: "Tests/FuzzTool", swiftSettings: house),
    .testTarget(name: "FuzzTests", dependencies: ["Fuzz", "Media", "TestSupport"], swiftSettings: house),

    tests(of: "Hardware"),
    tests(of: "JSON"),
    tests(of: "Appliance", ["Hardware"]),
    tests(of: "Panel", ["Appliance", "Hardware", "CZlib"], resources: [.copy("Golden")]),
    tests(of: "Console", ["Appliance", "Hardware", "JSON"]),
    tests(of: "Operators", ["Console", "JSON"]),
    tests(of: "Board", ["Hardware"]),
    tests(of: "Budget", ["Board"]),
    tests(of: "Doctor", ["Board", "Budget", "Hardware", "JSON"]),
    tests(of: "Gadget"),
    tests(of: "Threads"),
    tests(of: "Sound", ["Hardware"]),
    tests(of: "Media", ["Hardware", "SimulatedHardware"]),
    tests(of: "Streaming", ["Hardware", "Media"]),
    tests(of: "Proof", ["Hardware", "JSON", "Library", "Media", "SimulatedHardware"]),
    tests(of: "Sealing", ["Hardware", "Media"]),
    tests(of: "Library", ["Hardware", "JSON", "Media", "LinuxHardware"]),
    tests(
      of: "Dictaphone", ["Hardware", "Library", "LinuxHardware", "Media", "Recording", "SimulatedHardware", "Sound"]),
    tests(of: "Clips", ["Hardware", "JSON", "Library", "Media", "Recording", "SimulatedHardware", "Sound"]),
    tests(of: "Speech", ["Hardware"]),
    tests(
      of: "Dubbing", ["Hardware", "JSON", "Media", "Network", "SimulatedHardware", "Sound", "Speech", "Streaming"]),
    tests(
      of: "Runtime",
      [
        "Appliance", "Board", "Budget", "Console", "Dictaphone", "Doctor", "Hardware", "JSON", "Library",
        "LinuxHardware", "Media", "Operators", "Sealing", "SimulatedHardware", "Sound", "Streaming", "Threads",
      ]),
    tests(of: "LinuxHardware", ["Hardware", "Threads", "CALSA", "CV4L2"]),
    tests(of: "Network", ["Hardware", "Threads"], resources: [.copy("Peers")]),
    tests(of: "SimulatedHardware", ["Hardware", "LinuxHardware", "Panel"], resources: [.copy("Golden")]),
    .testTarget(
      name: "RealtimeTests", dependencies: ["CMallocCount", "Hardware", "LinuxHardware", "Sound"],
      exclude: ["ceilings.txt"],
      swiftSettings: house),
    .testTarget(
      name: "ScenarioTests", dependencies: ["Hardware", "JSON", "TestSupport"], exclude: ["DataDirectory"],
      swiftSettings: house),
  ],
  cxxLanguageStandard: .cxx17
)
