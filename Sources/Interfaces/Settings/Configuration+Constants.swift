#if DEBUG || SIMULATION
  import FoundationEssentials
  import Jobs
  import TOML

  /// Other values of constants, for tests that cannot wait for the real ones. Debug builds read them from a file beside the
  /// configuration, `waybill.toml.constants`: each line is `name = value`, as in TOML. It counts in every section, or with a name before
  /// it in one: `storage.main.connect_timeout = "1s"`. Release builds have nothing of this.
  extension Configuration {
    /// The end of the file's name, behind that of the configuration.
    static let constantsEnding = ".constants"

    /// Returns the configuration with the constants of the file beside it, if there is one. A faulty file ends the process: a test would
    /// wait in vain for what it says.
    func withConstants(beside path: String) -> Configuration {
      let file = path + Self.constantsEnding
      guard let bytes = FileManager.default.contents(atPath: file) else { return self }
      let problems = Problems()
      var configuration = self
      do {
        let table = try TOMLDocument(Array(bytes)).root.mapValues(Node.init)
        var section = Section(file: file, path: "", line: nil, table: table, problems: problems)
        configuration.takeConstants(&section)
        section.finish()
        try problems.throwIfAny()
      } catch {
        fatalError("\(file): \(error)")
      }
      return configuration
    }

    private mutating func takeConstants(_ section: inout Section) {
      daemon.admitAhead = section.integer("admit_ahead", default: daemon.admitAhead, in: 1...10_000_000)
      daemon.grace = section.duration("grace", default: daemon.grace, in: "0s"..."1h")
      notify.pingEvery = section.duration("ping_every", default: notify.pingEvery, in: "1s"..."1d")
      retry.jitter = section.fraction("jitter", default: retry.jitter)
      for index in spools.indices { spools[index].takeConstants(&section) }
      for name in storages.keys.sorted() { storages[name]?.takeConstants(&section) }
      for name in backends.keys.sorted() { backends[name]?.takeConstants(&section) }
      Self.readNamed(&section, "spool", spools.map(\.name)) { index, _, own in spools[index].takeConstants(&own) }
      Self.readNamed(&section, "storage", storages.keys.sorted()) { _, name, own in
        storages[name]?.takeConstants(&own)
      }
      Self.readNamed(&section, "backend", backends.keys.sorted()) { _, name, own in
        backends[name]?.takeConstants(&own)
      }
    }

    /// Reads the constants of single sections of a kind, by their names.
    private static func readNamed(
      _ section: inout Section, _ kind: String, _ names: [String], _ read: (Int, String, inout Section) -> Void
    ) {
      guard var named = section.section(kind, example: "") else { return }
      for (index, name) in names.enumerated() {
        guard var own = named.section(name, example: "") else { continue }
        read(index, name, &own)
        own.finish()
      }
    }
  }

  extension SpoolOptions.Watch: Choice {}

  extension SpoolOptions {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      keepFiles = section.integer("keep_files", default: keepFiles, in: 1...10_000_000)
      settleOpen = section.duration("settle_open", default: settleOpen, in: "0s"..."7d")
      settleEmpty = section.duration("settle_empty", default: settleEmpty, in: "0s"..."7d")
      watch = section.choice("watch", default: watch)
      longestLook = section.duration("longest_look", default: longestLook, in: "1ms"..."7d")
    }
  }

  extension StorageSettings {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      retry.jitter = section.fraction("jitter", default: retry.jitter)
      partConcurrency = section.integer("part_concurrency", default: partConcurrency, in: 1...64)
      if section.has("multipart_threshold") {
        multipartThreshold = section.size("multipart_threshold", default: "5MiB", in: "1"..."5GiB")
      }
      connectTimeout = section.duration("connect_timeout", default: connectTimeout, in: "1ms"..."1h")
      stallTimeout = section.duration("stall_timeout", default: stallTimeout, in: "1ms"..."1d")
      completeTimeout = section.duration("complete_timeout", default: completeTimeout, in: "1ms"..."1d")
    }
  }

  extension BackendSettings {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      retry.jitter = section.fraction("jitter", default: retry.jitter)
      connectTimeout = section.duration("connect_timeout", default: connectTimeout, in: "1ms"..."1h")
    }
  }

  extension Section {
    fileprivate mutating func fraction(_ key: String, default preset: Double) -> Double {
      guard let node = node(key) else { return preset }
      let number: Double
      switch node.value {
      case .float(let value): number = value
      case .integer(let value): number = Double(value)
      default:
        wrongType(key, node, "a number", example: "\(key) = \(preset)")
        return preset
      }
      guard (0...1).contains(number) else {
        problem(key, "\(number) is out of range", "it may be 0 to 1")
        return preset
      }
      return number
    }
  }
#endif
