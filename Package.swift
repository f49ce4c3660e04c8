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

/// A model has millions of steps, of which each takes ten times as long in a debug build. So models are optimized there too, where they
/// need no more of the product than its values.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

/// The parts are listed from the ground up; imports point down only (see ARCHITECTURE.md).
let package = Package(
  name: "waybill",
  products: [
    .executable(name: "waybilld", targets: ["waybilld"]),
    .executable(name: "waybill", targets: ["waybill"]),
    .executable(name: "waybill-fleet", targets: ["waybill-fleet"]),
    .executable(name: "waybill-sandbox", targets: ["waybill-sandbox"]),
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
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", path: "Sources/Libraries/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/Libraries/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CPostgres", path: "Sources/Libraries/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CSQLite", path: "Sources/Libraries/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CSystemd", path: "Sources/Linux/CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CExpat", path: "Sources/Libraries/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    // The header of Debian's libtomlplusplus-dev is in the compiler's own path.
    .target(name: "CTOML", path: "Sources/Libraries/CTOML"),
    .target(name: "CLinux", path: "Sources/Linux/CLinux", cSettings: failingCalls),
    // SQLite's calls on files, for debug builds: in release builds there is nothing in it.
    .target(
      name: "CSQLiteCalls", dependencies: ["CLinux"], path: "Sources/Libraries/CSQLiteCalls", cSettings: failingCalls),

    .target(
      name: "Failpoints", dependencies: [product("SystemPackage", "swift-system")],
      path: "Sources/Linux/Linux/Failpoints", swiftSettings: strict),
    .target(name: "SystemCalls", dependencies: ["CLinux"], path: "Sources/Linux/Linux/Calls", swiftSettings: strict),
    .target(name: "Threads", dependencies: ["CLinux"], path: "Sources/Linux/Linux/Threads", swiftSettings: strict),
    .target(
      name: "HTTPTransfer", dependencies: ["CCurl", "SystemCalls", "Threads"], path: "Sources/Libraries/HTTPTransfer",
      exclude: ["Failures"], swiftSettings: strict),
    .target(
      name: "Certificates", dependencies: ["COpenSSL"], path: "Sources/Libraries/OpenSSL/Certificates",
      swiftSettings: strict),
    .target(
      name: "Digests", dependencies: ["COpenSSL"], path: "Sources/Libraries/OpenSSL/Digests", swiftSettings: strict),
    .target(
      name: "PostgreSQL", dependencies: ["CPostgres", "Threads"], path: "Sources/Libraries/PostgreSQL",
      swiftSettings: strict),
    .target(
      name: "SQLite", dependencies: ["CSQLite", "CSQLiteCalls", "Threads"], path: "Sources/Libraries/SQLite",
      swiftSettings: strict),
    .target(name: "TOML", dependencies: ["CTOML"], path: "Sources/Libraries/TOML", swiftSettings: strict),
    .target(name: "XML", dependencies: ["CExpat"], path: "Sources/Libraries/XML", swiftSettings: strict),
    .target(
      name: "LinuxFiles", dependencies: ["CLinux", "SystemCalls", "Threads"], path: "Sources/Linux/Linux/Files",
      swiftSettings: strict),
    .target(
      name: "SystemdLink", dependencies: ["CSystemd", "LinuxFiles", "SystemCalls", "Threads"],
      path: "Sources/Linux/SystemdLink", swiftSettings: strict),

    .target(name: "Jobs", path: "Sources/Core/Jobs", swiftSettings: strict),

    .target(
      name: "Credentials", dependencies: ["Certificates", "HTTPTransfer", "LinuxFiles"],
      path: "Sources/Interfaces/Credentials", exclude: ["Fetched"], swiftSettings: strict),
    .target(
      name: "Failures", dependencies: ["HTTPTransfer", "Jobs", "LinuxFiles"],
      path: "Sources/Libraries/HTTPTransfer/Failures", swiftSettings: strict),

    .target(
      name: "ControlAPI", dependencies: ["Digests", "HTTPTransfer", "Jobs"],
      path: "Sources/Interfaces/ControlAPI", exclude: ["Metrics"], swiftSettings: strict),
    .target(
      name: "Ledger",
      dependencies: ["Failpoints", "Jobs", "LinuxFiles", "SQLite", "Threads"],
      path: "Sources/Daemon/Ledger", swiftSettings: strict),
    .target(
      name: "ObjectStorage",
      dependencies: [
        "Credentials", "Digests", "Failpoints", "Failures", "HTTPTransfer", "Jobs", "LinuxFiles", "Threads", "XML",
      ],
      path: "Sources/Stages/ObjectStorage", swiftSettings: strict),
    .target(
      name: "FetchedCredentials",
      dependencies: [
        "Certificates", "Credentials", "Failures", "HTTPTransfer", "Jobs", "LinuxFiles", "ObjectStorage", "XML",
        product("Subprocess", "swift-subprocess"), product("SystemPackage", "swift-system"),
      ], path: "Sources/Interfaces/Credentials/Fetched", swiftSettings: strict),
    .target(
      name: "Registration",
      dependencies: [
        "Credentials", "Digests", "Failpoints", "Failures", "HTTPTransfer", "Jobs",
      ],
      path: "Sources/Stages/Registration", swiftSettings: strict),
    .target(
      name: "Settings", dependencies: ["Certificates", "Credentials", "HTTPTransfer", "Jobs", "LinuxFiles", "TOML"],
      path: "Sources/Interfaces/Settings", swiftSettings: strict),
    .target(
      name: "Spool", dependencies: ["Failpoints", "Jobs", "LinuxFiles", "Threads"], path: "Sources/Stages/Spool",
      swiftSettings: strict),

    .target(
      name: "Assembly",
      dependencies: [
        "Certificates", "Credentials", "FetchedCredentials", "HTTPTransfer", "Jobs", "LinuxFiles", "ObjectStorage",
        "Registration", "Settings", "Spool", "Threads",
      ], path: "Sources/Stages/Assembly", swiftSettings: strict),
    .target(
      name: "CommandParts",
      dependencies: ["ControlAPI", "Jobs", "LinuxFiles", product("ArgumentParser", "swift-argument-parser")],
      path: "Sources/Commands/CommandParts", swiftSettings: strict),
    .target(
      name: "PrometheusText", dependencies: ["Jobs", "LinuxFiles"], path: "Sources/Interfaces/ControlAPI/Metrics",
      swiftSettings: strict),
    .target(
      name: "WebPages",
      dependencies: [
        product("HummingbirdCore", "hummingbird"), product("Logging", "swift-log"), product("NIOCore", "swift-nio"),
        product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
      ],
      path: "Sources/Interfaces/WebPages",
      resources: [
        .embedInCode("page.css"), .embedInCode("icon.svg"), .embedInCode("words.js"), .embedInCode("sentences.js"),
      ], swiftSettings: strict),
    .target(
      name: "ControlServer",
      dependencies: [
        "ControlAPI", "Jobs", "LinuxFiles", "SystemdLink", "WebPages",
        product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
        product("Logging", "swift-log"), product("NIOCore", "swift-nio"), product("NIOExtras", "swift-nio-extras"),
        product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
        product("ServiceLifecycle", "swift-service-lifecycle"),
      ],
      path: "Sources/Daemon/ControlServer",
      resources: [
        .embedInCode("API/openapi.json"), .embedInCode("Page/page.html"), .embedInCode("Page/file-sentences.js"),
        .embedInCode("Page/job.js"), .embedInCode("Page/groups.js"), .embedInCode("Page/explain.js"),
        .embedInCode("Page/log.js"),
        .embedInCode("Page/status.js"), .embedInCode("Page/jobs.js"), .embedInCode("Page/page.js"),
      ], swiftSettings: strict),
    .target(
      name: "Reports",
      dependencies: ["ControlAPI", "Jobs", "Ledger", "LinuxFiles", "PrometheusText", "SystemdLink", "Threads"],
      path: "Sources/Daemon/Reports", exclude: ["Notices"], swiftSettings: strict),
    .target(
      name: "Delivery",
      dependencies: [
        "Assembly", "ControlAPI", "Credentials", "Failpoints", "HTTPTransfer", "Jobs", "Ledger", "LinuxFiles",
        "ObjectStorage", "Registration", "Reports", "Settings", "Spool", "Threads",
      ], path: "Sources/Daemon/Delivery", swiftSettings: strict),
    .target(
      name: "Notices",
      dependencies: [
        "ControlAPI", "Credentials", "Failures", "HTTPTransfer", "Jobs", "Ledger", "Registration", "Settings",
        "Threads",
      ], path: "Sources/Daemon/Reports/Notices", swiftSettings: strict),
    .target(
      name: "Daemon",
      dependencies: [
        "Assembly", "ControlAPI", "ControlServer", "Credentials", "Delivery", "Failpoints", "HTTPTransfer", "Jobs",
        "Ledger", "LinuxFiles", "PrometheusText", "Notices", "ObjectStorage", "Registration", "Reports", "Settings",
        "Spool",
        "SystemdLink", "Threads",
      ], path: "Sources/Daemon/Daemon", exclude: ["Maintenance"], swiftSettings: strict),

    .target(
      name: "LedgerMaintenance",
      dependencies: ["Assembly", "Jobs", "Ledger", "LinuxFiles", "Settings", "Spool", "SystemdLink"],
      path: "Sources/Daemon/Daemon/Maintenance", swiftSettings: strict),

    .executableTarget(
      name: "waybilld",
      dependencies: ["Daemon", "LedgerMaintenance", "LinuxFiles", product("ArgumentParser", "swift-argument-parser")],
      path: "Sources/Daemon/waybilld", swiftSettings: strict),
    .executableTarget(
      name: "waybill",
      dependencies: [
        "Assembly", "CommandParts", "ControlAPI", "Credentials", "HTTPTransfer", "Jobs", "LinuxFiles", "ObjectStorage",
        "Registration", "Settings", "Threads", "WebPages", product("ArgumentParser", "swift-argument-parser"),
        product("HTTPTypes", "swift-http-types"),
        product("HummingbirdCore", "hummingbird"), product("Logging", "swift-log"), product("NIOCore", "swift-nio"),
        product("NIOPosix", "swift-nio"), product("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Commands/waybill", swiftSettings: strict),
    .target(
      name: "Fleet",
      dependencies: [
        "ControlAPI", "Failpoints", "HTTPTransfer", "Jobs", "LinuxFiles", "PostgreSQL", "Settings", "Threads",
      ],
      path: "Sources/Fleet/Fleet", exclude: ["Web"], swiftSettings: strict),
    .target(
      name: "FleetWeb",
      dependencies: [
        "CommandParts", "ControlAPI", "ControlServer", "Fleet", "Jobs", "PrometheusText", "PostgreSQL", "Settings",
        "WebPages",
        product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
        product("Logging", "swift-log"), product("NIOCore", "swift-nio"), product("NIOExtras", "swift-nio-extras"),
        product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
      ], path: "Sources/Fleet/Fleet/Web",
      resources: [.embedInCode("fleet.css"), .embedInCode("fleet-words.js"), .embedInCode("fleet.js")],
      swiftSettings: strict),
    .executableTarget(
      name: "waybill-fleet",
      dependencies: [
        "CommandParts", "ControlAPI", "ControlServer", "Fleet", "FleetWeb", "HTTPTransfer", "Jobs", "LinuxFiles",
        "PostgreSQL", "Settings", "SystemdLink", "Threads",
        product("ArgumentParser", "swift-argument-parser"),
      ], path: "Sources/Fleet/waybill-fleet", swiftSettings: strict),
    .executableTarget(
      name: "waybill-sandbox",
      dependencies: [
        "Digests", "LinuxFiles", product("ArgumentParser", "swift-argument-parser"),
        product("HTTPTypes", "swift-http-types"), product("Hummingbird", "hummingbird"),
        product("HummingbirdCore", "hummingbird"), product("Logging", "swift-log"), product("NIOCore", "swift-nio"),
        product("NIOHTTP1", "swift-nio"), product("NIOHTTPTypes", "swift-nio-extras"), product("NIOPosix", "swift-nio"),
        product("ServiceLifecycle", "swift-service-lifecycle"), product("SystemPackage", "swift-system"),
        product("UnixSignals", "swift-service-lifecycle"),
      ], path: "Tests/Sandbox", swiftSettings: strict),

    .executableTarget(
      name: "waybill-parts",
      dependencies: [
        "Digests", "HTTPTransfer", "Jobs", "Ledger", "LinuxFiles", "ObjectStorage", "SystemdLink", "Threads",
      ], path: "Benchmarks/Parts", swiftSettings: strict),

    .target(name: "CSpawn", path: "Tests/CSpawn"),
    .target(name: "SeededNumbers", path: "Tests/Support/SeededNumbers", swiftSettings: strict),
    .target(
      name: "ChildProcesses", dependencies: ["CSpawn", "SeededNumbers"], path: "Tests/ChildProcesses",
      swiftSettings: strict),
    .target(
      name: "ControlTesting",
      dependencies: [
        "ChildProcesses", "ControlAPI", "ControlServer", "HTTPTransfer", "Jobs", "LinuxFiles", "SystemdLink",
      ], path: "Tests/ControlTesting", swiftSettings: strict),
    .executableTarget(
      name: "systemd-link-probe", dependencies: ["SystemdLink"], path: "Tests/SystemdLinkProbe", swiftSettings: strict),
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ControlAPI", "Credentials", "ControlServer", "Delivery", "Failures", "HTTPTransfer", "Jobs", "ObjectStorage",
        "Registration",
        "Settings", "Spool", "XML", product("HTTPTypes", "swift-http-types"),
      ], path: "Tests/Fuzzing/Targets", swiftSettings: strict),
    .executableTarget(
      name: "waybill-fuzz",
      dependencies: ["CFuzzer", "FuzzTargets", product("ArgumentParser", "swift-argument-parser")],
      path: "Tests/Fuzzing/Runner", swiftSettings: strict),
    .target(name: "Models", dependencies: ["Jobs"], path: "Tests/Models", swiftSettings: strict + optimized),
    .testTarget(
      name: "FuzzTests", dependencies: ["ChildProcesses", "FuzzTargets", "waybill-fuzz"], swiftSettings: strict),
    .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses"], swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "waybill", "Assembly", "ChildProcesses", "CommandParts", "ControlTesting", "ControlServer", "ControlAPI",
        "Jobs",
        "ObjectStorage", "Settings", "Spool",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ControlAPITests", dependencies: ["ChildProcesses", "ControlAPI", "Jobs"], swiftSettings: strict),
    .testTarget(
      name: "ControlServerTests",
      dependencies: [
        "ChildProcesses", "ControlAPI", "ControlTesting", "ControlServer", "Threads", "HTTPTransfer", "Jobs", "Ledger",
        "SystemdLink",
        product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "DeliveryTests",
      dependencies: ["ChildProcesses", "ControlAPI", "Delivery", "Jobs", "LinuxFiles", "Settings", "Threads"],
      swiftSettings: strict),
    .testTarget(
      name: "NoticesTests", dependencies: ["ChildProcesses", "ControlAPI", "Jobs", "Notices", "Settings"],
      path: "Tests/ReportsTests/Notices", swiftSettings: strict),
    .testTarget(
      name: "ReportsTests",
      dependencies: ["ChildProcesses", "ControlAPI", "Jobs", "PrometheusText", "Reports", "SystemdLink"],
      path: "Tests/ReportsTests", exclude: ["Catalogs", "Notices"], swiftSettings: strict),
    .testTarget(
      name: "FetchedCredentialsTests",
      dependencies: [
        "Certificates", "ChildProcesses", "Credentials", "FetchedCredentials", "HTTPTransfer", "Jobs", "LoopbackPeer",
      ],
      path: "Tests/CredentialsTests/Fetched", swiftSettings: strict),
    .testTarget(
      name: "CertificatesTests", dependencies: ["Certificates", "ChildProcesses"],
      path: "Tests/LibrariesTests/Certificates", swiftSettings: strict),
    .testTarget(
      name: "DigestsTests", dependencies: ["ChildProcesses", "Digests"], path: "Tests/LibrariesTests/Digests",
      swiftSettings: strict),
    .testTarget(
      name: "CredentialsTests", dependencies: ["ChildProcesses", "Credentials", "LinuxFiles"],
      path: "Tests/CredentialsTests", exclude: ["Fetched"], swiftSettings: strict),
    // The daemon as a process between its far sides. Its names are internal, and the tests import it as testable.
    .target(
      name: "Harness",
      dependencies: [
        "CLinux", "ChildProcesses", "Failpoints", "Fleet", "HTTPTransfer", "Jobs", "LoopbackPeer", "SQLite",
        "Settings",
        "waybilld",
        "waybill", "waybill-fleet", "waybill-sandbox",
      ],
      path: "Tests/Harness", swiftSettings: strict),
    // What needs no root and no server: everybody runs it.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "ChildProcesses", "CommandParts", "ControlAPI", "Failpoints", "Fleet", "Harness", "HTTPTransfer", "Jobs",
        "LoopbackPeer", "Settings", "waybill",
      ],
      swiftSettings: strict),
    // What needs root, real servers, systemd.
    .testTarget(
      name: "SystemTests",
      dependencies: [
        "ChildProcesses", "ControlAPI", "Failpoints", "Failures", "Fleet", "FleetWeb", "Harness", "HTTPTransfer",
        "Jobs",
        "LoopbackPeer", "PostgreSQL", "Settings",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FleetTests",
      dependencies: ["ChildProcesses", "ControlAPI", "Fleet", "FleetWeb", "Jobs", "PostgreSQL", "Settings"],
      swiftSettings: strict),
    .testTarget(
      name: "FailuresTests", dependencies: ["ChildProcesses", "Failures", "HTTPTransfer", "Jobs"],
      path: "Tests/HTTPTransferTests/Failures", swiftSettings: strict
    ),
    .testTarget(
      name: "HTTPTransferTests", dependencies: ["ChildProcesses", "HTTPTransfer", "LoopbackPeer"],
      path: "Tests/HTTPTransferTests", exclude: ["Failures"], swiftSettings: strict),
    .testTarget(name: "JobsTests", dependencies: ["ChildProcesses", "Jobs", "Models"], swiftSettings: strict),
    .testTarget(
      name: "LedgerTests",
      dependencies: [
        "ChildProcesses", "Ledger", "Jobs", "LinuxFiles", "SQLite", "SystemCalls", "Threads",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "SQLiteTests", dependencies: ["CSQLite", "ChildProcesses", "SQLite", "SystemCalls"],
      path: "Tests/LibrariesTests/SQLite", swiftSettings: strict),
    .testTarget(
      name: "LinuxFilesTests", dependencies: ["ChildProcesses", "LinuxFiles", "SystemCalls"],
      path: "Tests/LinuxTests/Files", swiftSettings: strict),
    .testTarget(
      name: "MessageCatalogTests", dependencies: ["ChildProcesses", "Reports", "SystemdLink"],
      path: "Tests/ReportsTests/Catalogs", swiftSettings: strict),
    .target(name: "LoopbackPeer", path: "Tests/Support/LoopbackPeer", swiftSettings: strict),
    .testTarget(
      name: "ObjectStorageTests",
      dependencies: [
        "ChildProcesses", "Digests", "ObjectStorage", "Credentials", "Jobs", "HTTPTransfer", "LinuxFiles",
        "LoopbackPeer",
        "waybill-sandbox", "Threads", "XML",
      ], resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "ChildProcesses", "Digests", "ObjectStorage", "Credentials", "Jobs", "HTTPTransfer", "LinuxFiles",
        "waybill-sandbox", "Threads", "XML",
      ], swiftSettings: strict),
    .testTarget(
      name: "RegistrationTests",
      dependencies: [
        "ChildProcesses", "Registration", "Credentials", "Failures", "Jobs", "HTTPTransfer", "LoopbackPeer",
      ],
      swiftSettings: strict),
    .testTarget(name: "SandboxTests", dependencies: ["ChildProcesses", "waybill-sandbox"], swiftSettings: strict),
    // The world around a daemon, as values that the seed of a run decides on: far sides, scenarios, the books.
    .target(
      name: "Simulation",
      dependencies: ["CLinux", "Digests", "Failpoints", "HTTPTransfer", "Jobs", "LinuxFiles", "SeededNumbers", "XML"],
      path: "Tests/Simulation", swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "ChildProcesses", "Credentials", "Digests", "Failures", "HTTPTransfer", "Jobs", "LinuxFiles", "LoopbackPeer",
        "ObjectStorage", "Registration", "SeededNumbers", "Settings", "Simulation", "Threads", "waybill-sandbox",
      ], swiftSettings: strict),
    // The daemon in a world of a simulation: one thread, virtual time.
    .target(name: "CFork", path: "Tests/CFork"),
    .target(
      name: "SimulatedDaemon",
      dependencies: [
        "CFork", "ControlAPI", "ControlServer", "Daemon", "Delivery", "Failpoints", "HTTPTransfer", "Jobs", "Ledger",
        "LinuxFiles", "SQLite", "SeededNumbers", "Simulation", "SystemCalls", "SystemdLink",
        "Threads",
      ], path: "Tests/SimulatedDaemon", swiftSettings: strict),
    .executableTarget(
      name: "waybill-simulator",
      dependencies: [
        "Failpoints", "Simulation", "SimulatedDaemon", product("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Tests/Simulator", swiftSettings: strict),
    .testTarget(
      name: "SettingsTests",
      dependencies: [
        "Certificates", "ChildProcesses", "Settings", "Credentials", "HTTPTransfer", "Jobs", "SystemCalls",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SpoolTests",
      dependencies: ["ChildProcesses", "Jobs", "LinuxFiles", "Models", "Spool", "SystemCalls", "Threads"],
      swiftSettings: strict),
    .testTarget(
      name: "TOMLTests", dependencies: ["ChildProcesses", "TOML"], path: "Tests/LibrariesTests/TOML",
      swiftSettings: strict),
    .testTarget(name: "XMLTests", dependencies: ["XML"], path: "Tests/LibrariesTests/XML", swiftSettings: strict),
    .testTarget(
      name: "ThreadsTests", dependencies: ["ChildProcesses", "Threads"], path: "Tests/LinuxTests/Threads",
      swiftSettings: strict),
    .testTarget(
      name: "SystemdLinkTests",
      dependencies: ["ChildProcesses", "LinuxFiles", "SystemdLink", "systemd-link-probe", "Threads"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
