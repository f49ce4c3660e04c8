// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules: Swift 6 mode, no warnings, unsafe code marked where it stands.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Calls on files can be made to fail, in debug builds alone.
let failingCalls: [CSetting] = [.define("DEBUG", to: "1", .when(configuration: .debug))]

/// A debug build serves thousands of tests, models of millions of steps and simulated years, for which code that is not optimized takes
/// two to ten times as long. So what they run most is optimized there too; to compile it takes four times as long, so the rest is not.
/// What a debug build checks is checked nevertheless: assertions, overflows, exclusive access.
let optimized: [SwiftSetting] =
  strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

/// The parts are listed from the ground up. Their folders are the floors; imports point down only, which scripts/target-graph checks.
let package = Package(
  name: "waybill",
  products: [
    .executable(name: "waybilld", targets: ["waybilld"]),
    .executable(name: "waybill", targets: ["waybill"]),
    .executable(name: "waybill-fleet", targets: ["waybill-fleet"]),
    .executable(name: "waybill-sandbox", targets: ["waybill-sandbox"]),
    .executable(name: "api-declarations", targets: ["api-declarations"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Tools: what a build runs.
    .executableTarget(
      name: "api-declarations", dependencies: [product("Yams", "Yams")], path: "Sources/Tools/api-declarations",
      swiftSettings: strict),
    .executableTarget(name: "message-functions", path: "Sources/Tools/message-functions", swiftSettings: strict),
    .plugin(name: "MessageFunctions", capability: .buildTool(), dependencies: ["message-functions"]),
    .plugin(name: "APIDeclarations", capability: .buildTool(), dependencies: ["api-declarations"]),

    // Core: values alone.
    .target(
      name: "Messages", path: "Sources/Core/Messages", exclude: ["Table"], swiftSettings: optimized,
      plugins: ["MessageFunctions"]),
    .target(name: "Jobs", dependencies: ["Messages"], path: "Sources/Core/Jobs", swiftSettings: optimized),

    // Linux: what the kernel and systemd offer.
    .target(name: "CLinux", path: "Sources/Linux/CLinux"),
    .target(name: "CSeams", path: "Sources/Linux/CSeams", cSettings: failingCalls),
    .target(
      name: "Seams", dependencies: ["CSeams", product("SystemPackage", "swift-system")], path: "Sources/Linux/Seams",
      swiftSettings: optimized),
    .systemLibrary(
      name: "CSystemd", path: "Sources/Linux/CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(
      name: "Linux", dependencies: ["Messages", "CLinux", "Jobs", "Seams"], path: "Sources/Linux/Linux",
      swiftSettings: optimized),
    .target(
      name: "SystemdLink", dependencies: ["Messages", "CSystemd", "Jobs", "Linux", "Seams"],
      path: "Sources/Linux/SystemdLink",
      swiftSettings: strict
    ),

    // Libraries: what others wrote in C, each behind one module.
    .systemLibrary(
      name: "CCurl", path: "Sources/Libraries/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/Libraries/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CPostgres", path: "Sources/Libraries/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSQLite", path: "Sources/Libraries/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CExpat", path: "Sources/Libraries/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CPCRE2", path: "Sources/Libraries/CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
    // The header of Debian's libtomlplusplus-dev is in the compiler's own path.
    .target(name: "CTOML", path: "Sources/Libraries/CTOML"),
    // SQLite's calls on files, for debug builds: in release builds there is nothing in it.
    .target(
      name: "CSQLiteCalls", dependencies: ["CSeams"], path: "Sources/Libraries/CSQLiteCalls", cSettings: failingCalls),
    .target(
      name: "HTTPTransfer", dependencies: ["Messages", "CCurl", "Jobs", "Linux", "Seams"],
      path: "Sources/Libraries/HTTPTransfer",
      swiftSettings: strict),
    .target(name: "OpenSSL", dependencies: ["COpenSSL"], path: "Sources/Libraries/OpenSSL", swiftSettings: strict),
    .target(
      name: "PostgreSQL", dependencies: ["CPostgres", "Linux"], path: "Sources/Libraries/PostgreSQL",
      swiftSettings: strict),
    .target(
      name: "SQLite", dependencies: ["CSQLite", "CSQLiteCalls", "Linux"], path: "Sources/Libraries/SQLite",
      swiftSettings: optimized),
    .target(name: "TOML", dependencies: ["CTOML"], path: "Sources/Libraries/TOML", swiftSettings: optimized),
    .target(name: "PCRE2", dependencies: ["CPCRE2"], path: "Sources/Libraries/PCRE2", swiftSettings: strict),
    .target(name: "XML", dependencies: ["CExpat"], path: "Sources/Libraries/XML", swiftSettings: strict),

    // Interfaces: what all programs agree on with people, programs and files around them.
    .target(
      name: "Credentials",
      dependencies: [
        "Messages",
        "HTTPTransfer", "Jobs", "Linux", "OpenSSL", "XML", product("Subprocess", "swift-subprocess"),
        product("SystemPackage", "swift-system"),
      ], path: "Sources/Interfaces/Credentials", swiftSettings: strict),
    .target(
      name: "Settings", dependencies: ["Credentials", "Jobs", "Linux", "PCRE2", "TOML"],
      path: "Sources/Interfaces/Settings", swiftSettings: optimized),
    .target(
      name: "ControlAPI", dependencies: ["Messages", "HTTPTransfer", "Jobs", "Linux", "OpenSSL", "Seams"],
      path: "Sources/Interfaces/ControlAPI", swiftSettings: strict, plugins: ["APIDeclarations"]),
    .target(
      name: "WebPages",
      dependencies: [
        "Jobs", "Linux", product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
        product("Logging", "swift-log"), product("NIOCore", "swift-nio"), product("NIOHTTPTypes", "swift-nio-extras"),
        product("NIOPosix", "swift-nio"),
      ], path: "Sources/Interfaces/WebPages",
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/icon.svg"),
        .embedInCode("Page/words.js"), .embedInCode("Page/status.js"), .embedInCode("Page/questions.js"),
        .embedInCode("Page/jobs.js"), .embedInCode("Page/job.js"), .embedInCode("Page/log.js"),
        .embedInCode("Page/page.js"),
      ], swiftSettings: strict),

    // Stages: none sees another, nor the ledger.
    .target(
      name: "Spool", dependencies: ["Messages", "Jobs", "Linux", "PCRE2", "Seams"], path: "Sources/Stages/Spool",
      swiftSettings: optimized),
    .target(
      name: "ObjectStorage",
      dependencies: [
        "Messages", "Credentials", "HTTPTransfer", "Jobs", "Linux", "OpenSSL", "Seams", "Settings", "XML",
      ],
      path: "Sources/Stages/ObjectStorage", swiftSettings: strict),
    .target(
      name: "Registration",
      dependencies: ["Messages", "Credentials", "HTTPTransfer", "Jobs", "Linux", "Seams", "Settings"],
      path: "Sources/Stages/Registration", swiftSettings: strict),

    // The daemon.
    .target(
      name: "Ledger", dependencies: ["Messages", "Jobs", "Linux", "SQLite", "Seams"], path: "Sources/Daemon/Ledger",
      swiftSettings: optimized),
    .target(
      name: "ControlServer",
      dependencies: [
        "Messages",
        "ControlAPI", "Jobs", "SystemdLink", "WebPages",
        product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
        product("Logging", "swift-log"), product("NIOCore", "swift-nio"), product("NIOExtras", "swift-nio-extras"),
        product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
      ], path: "Sources/Daemon/ControlServer",
      swiftSettings: strict),
    .target(
      name: "Reports",
      dependencies: [
        "Messages",
        "ControlAPI", "Credentials", "HTTPTransfer", "Jobs", "Ledger", "Linux", "Settings", "SystemdLink",
      ], path: "Sources/Daemon/Reports", swiftSettings: strict),
    .target(
      name: "Delivery",
      dependencies: [
        "Messages",
        "ControlAPI", "Credentials", "HTTPTransfer", "Jobs", "Ledger", "Linux", "ObjectStorage", "Registration",
        "Reports", "Seams", "Settings", "Spool",
      ], path: "Sources/Daemon/Delivery", swiftSettings: optimized),
    .target(
      name: "Daemon",
      dependencies: [
        "Messages",
        "ControlAPI", "ControlServer", "Credentials", "Delivery", "HTTPTransfer", "Jobs", "Ledger", "Linux",
        "ObjectStorage", "Registration", "Reports", "Seams", "Settings", "Spool", "SystemdLink", "WebPages",
      ], path: "Sources/Daemon/Daemon", swiftSettings: strict),
    .executableTarget(
      name: "waybilld",
      dependencies: ["Daemon", "Linux", "SystemdLink", product("ArgumentParser", "swift-argument-parser")],
      path: "Sources/Daemon/waybilld", swiftSettings: strict),

    // The command, which links nothing of the daemon.
    .target(
      name: "CommandParts",
      dependencies: ["ControlAPI", "Jobs", "Linux", "Messages", product("ArgumentParser", "swift-argument-parser")],
      path: "Sources/Commands/CommandParts", swiftSettings: strict),
    .executableTarget(
      name: "waybill",
      dependencies: [
        "Messages",
        "CommandParts", "ControlAPI", "Credentials", "HTTPTransfer", "Jobs", "Linux", "ObjectStorage", "OpenSSL",
        "Registration", "Seams", "Settings", "Spool", "WebPages", product("ArgumentParser", "swift-argument-parser"),
        product("HTTPTypes", "swift-http-types"),
        product("HummingbirdCore", "hummingbird"), product("NIOCore", "swift-nio"),
      ], path: "Sources/Commands/waybill", swiftSettings: strict),

    // The fleet.
    .target(
      name: "Fleet",
      dependencies: [
        "Messages",
        "ControlAPI", "ControlServer", "HTTPTransfer", "Jobs", "Linux", "PostgreSQL", "Seams", "Settings",
        "SystemdLink",
        "WebPages", product("HTTPTypes", "swift-http-types"), product("NIOCore", "swift-nio"),
      ], path: "Sources/Fleet/Fleet",
      swiftSettings: strict),
    .executableTarget(
      name: "waybill-fleet",
      dependencies: [
        "CommandParts", "ControlAPI", "Fleet", "HTTPTransfer", "Jobs", "Linux", "PostgreSQL", "Settings",
        "SystemdLink", "WebPages", product("ArgumentParser", "swift-argument-parser"),
      ], path: "Sources/Fleet/waybill-fleet", swiftSettings: strict),

    // Beside them: programs and targets that tests and measurements need.
    .executableTarget(
      name: "waybill-sandbox",
      dependencies: [
        "Linux", "OpenSSL", product("ArgumentParser", "swift-argument-parser"),
        product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
        product("Logging", "swift-log"), product("NIOCore", "swift-nio"),
        product("NIOHTTP1", "swift-nio"), product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
        product("ServiceLifecycle", "swift-service-lifecycle"), product("SystemPackage", "swift-system"),
        product("UnixSignals", "swift-service-lifecycle"),
      ], path: "Tests/Sandbox", swiftSettings: strict),
    .executableTarget(
      name: "waybill-parts",
      dependencies: [
        "Credentials", "HTTPTransfer", "Jobs", "Ledger", "Linux", "ObjectStorage", "OpenSSL", "Seams", "SystemdLink",
      ], path: "Benchmarks/Parts", swiftSettings: strict),

    .target(name: "CSpawn", path: "Tests/CSpawn"),
    .target(name: "MessageLiterals", dependencies: ["Messages"], path: "Tests/MessageLiterals", swiftSettings: strict),
    .target(name: "SeededNumbers", path: "Tests/Support/SeededNumbers", swiftSettings: strict),
    .target(
      name: "ChildProcesses", dependencies: ["CSpawn", "SeededNumbers"], path: "Tests/ChildProcesses",
      swiftSettings: strict),
    .target(name: "LoopbackPeer", path: "Tests/Support/LoopbackPeer", swiftSettings: strict),
    .target(
      name: "ControlTesting",
      dependencies: [
        "MessageLiterals", "Messages", "ChildProcesses", "ControlAPI", "ControlServer", "Jobs", "Linux", "SystemdLink",
      ],
      path: "Tests/ControlTesting", swiftSettings: strict),
    .executableTarget(
      name: "systemd-link-probe", dependencies: ["Linux", "SystemdLink"], path: "Tests/SystemdLinkProbe",
      swiftSettings: strict),
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ControlAPI", "ControlServer", "Credentials", "Delivery", "HTTPTransfer", "Jobs", "Messages", "ObjectStorage",
        "PCRE2", "Registration", "Settings", "Spool", "XML", product("HTTPTypes", "swift-http-types"),
      ], path: "Tests/Fuzzing/Targets", swiftSettings: strict),
    .executableTarget(
      name: "waybill-fuzz",
      dependencies: ["CFuzzer", "FuzzTargets", "SeededNumbers", product("ArgumentParser", "swift-argument-parser")],
      path: "Tests/Fuzzing/Runner", swiftSettings: strict),
    .target(name: "Models", dependencies: ["Jobs"], path: "Tests/Models", swiftSettings: optimized),
    // The daemon as a process between its servers. Its names are internal, and the tests import it as testable.
    .target(
      name: "Harness",
      dependencies: [
        "CLinux", "ChildProcesses", "HTTPTransfer", "Linux", "LoopbackPeer", "SQLite", "Seams",
        "waybilld",
        "waybill",
        "waybill-fleet", "waybill-sandbox",
      ],
      path: "Tests/Harness", swiftSettings: strict),
    // The world around a daemon, as values that the seed of a run decides on: servers, scenarios, the books.
    .target(
      name: "Simulation",
      dependencies: [
        "MessageLiterals", product("SystemPackage", "swift-system"), "CLinux", "HTTPTransfer", "Jobs", "Linux",
        "OpenSSL", "Seams", "SeededNumbers",
        "XML",
      ],
      path: "Tests/Simulation", swiftSettings: optimized),
    // The daemon in a world of a simulation: one thread, virtual time.
    .target(name: "CFork", path: "Tests/CFork"),
    .target(
      name: "SimulatedDaemon",
      dependencies: [
        "MessageLiterals", product("HTTPTypes", "swift-http-types"), "CFork", "ControlAPI", "ControlServer", "Daemon",
        "Delivery", "HTTPTransfer", "Jobs", "Ledger", "Linux",
        "SQLite", "Seams", "SeededNumbers", "Simulation", "SystemdLink",
      ], path: "Tests/SimulatedDaemon", swiftSettings: optimized),
    .executableTarget(
      name: "waybill-simulator",
      dependencies: [
        "Linux", "Seams", "Simulation", "SimulatedDaemon", product("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Tests/Simulator", swiftSettings: strict),

    // The tests of each part, from the ground up.
    .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses"], swiftSettings: strict),
    .testTarget(
      name: "MessagesTests", dependencies: ["MessageLiterals", "ChildProcesses", "Messages"], swiftSettings: strict),
    .testTarget(
      name: "JobsTests", dependencies: ["MessageLiterals", "Messages", "ChildProcesses", "Jobs", "Models", "Seams"],
      swiftSettings: strict),
    .testTarget(name: "LinuxTests", dependencies: ["ChildProcesses", "Linux", "Seams"], swiftSettings: strict),
    .testTarget(
      name: "SystemdLinkTests", dependencies: ["ChildProcesses", "Linux", "SystemdLink", "systemd-link-probe"],
      swiftSettings: strict),
    .testTarget(
      name: "LibrariesTests", dependencies: ["CSQLite", "ChildProcesses", "OpenSSL", "PCRE2", "SQLite", "TOML", "XML"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPTransferTests",
      dependencies: ["MessageLiterals", "Messages", "ChildProcesses", "HTTPTransfer", "Jobs", "Linux", "LoopbackPeer"],
      swiftSettings: strict),
    .testTarget(
      name: "CredentialsTests",
      dependencies: [
        "Messages", "ChildProcesses", "Credentials", "HTTPTransfer", "Jobs", "Linux", "LoopbackPeer", "OpenSSL",
      ],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "SettingsTests",
      dependencies: ["ChildProcesses", "Credentials", "Jobs", "Linux", "Seams", "Settings"],
      swiftSettings: strict),
    .testTarget(
      name: "ControlAPITests", dependencies: ["MessageLiterals", "Messages", "ChildProcesses", "ControlAPI", "Jobs"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "SpoolTests",
      dependencies: ["MessageLiterals", "ChildProcesses", "Jobs", "Linux", "Messages", "Seams", "Spool"],
      swiftSettings: strict),
    .testTarget(
      name: "ObjectStorageTests",
      dependencies: [
        "Messages",
        "ChildProcesses", "Credentials", "HTTPTransfer", "Jobs", "Linux", "LoopbackPeer", "ObjectStorage", "OpenSSL",
        "Settings", "XML", "waybill-sandbox",
      ], swiftSettings: strict),
    .testTarget(
      name: "RegistrationTests",
      dependencies: [
        "Messages",
        "ChildProcesses", "Credentials", "HTTPTransfer", "Jobs", "LoopbackPeer", "Registration", "Settings",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerTests",
      dependencies: [
        "MessageLiterals", "Messages", "ChildProcesses", "Jobs", "Ledger", "Linux", "SQLite", "Seams",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ControlServerTests",
      dependencies: [
        "MessageLiterals", "Messages",
        product("HTTPTypes", "swift-http-types"),
        "ChildProcesses", "ControlAPI", "ControlServer", "ControlTesting", "HTTPTransfer", "Jobs", "Linux",
        "Seams", "SystemdLink", "WebPages", product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "MessageLiterals", "Messages", "ChildProcesses", "ControlAPI", "Jobs", "Linux", "Reports", "Seams", "Settings",
        "SystemdLink",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "DeliveryTests",
      dependencies: ["Spool", "ChildProcesses", "Delivery", "Jobs", "Ledger", "Linux", "SeededNumbers", "Settings"],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "MessageLiterals", "ChildProcesses", "CommandParts", "ControlAPI", "ControlServer", "ControlTesting",
        "Credentials", "Jobs", "Linux", "Messages", "ObjectStorage", "Seams", "Settings", "Spool", "waybill",
        product("ArgumentParser", "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .testTarget(name: "FleetTests", dependencies: ["ChildProcesses", "Fleet"], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["ChildProcesses", "FuzzTargets", "waybill-fuzz"], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["ChildProcesses", "Jobs", "Seams", "Simulation"], swiftSettings: strict),
    // What needs no root and no server: everybody runs it.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "ChildProcesses", "CommandParts", "ControlAPI", "Harness", "Jobs", "Linux",
        "LoopbackPeer", "Seams", "waybill",
      ],
      swiftSettings: strict),
    // What needs root, real servers, systemd.
    .testTarget(
      name: "SystemTests",
      dependencies: [
        "Messages",
        "ChildProcesses", "ControlAPI", "ControlTesting", "Fleet", "HTTPTransfer", "Harness", "Jobs", "Linux",
        "LoopbackPeer", "PostgreSQL", "Seams", "Settings",
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
