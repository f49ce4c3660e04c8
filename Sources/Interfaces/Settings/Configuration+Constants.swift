#if DEBUG || SIMULATION
  import FoundationEssentials
  import Jobs
  import TOML

  /// Other values of constants, for tests that cannot wait for the real ones. Debug builds read them from a file beside the
  /// configuration, `waybill.toml.constants`: each line is `name = value`, as in TOML. It counts in every section, or with a name before
  /// it in one: `storage.main.connect_timeout = "1s"`. Release builds have nothing of this.
  extension Configuration {
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
      for index in spools.indices {
        section.readConstants("spool", spools[index].name) { spools[index].takeConstants(&$0) }
      }
      for name in storages.keys.sorted() {
        section.readConstants("storage", name) { storages[name]?.takeConstants(&$0) }
      }
      for name in granted.keys.sorted() {
        section.readConstants("storage", name) { granted[name]?.takeConstants(&$0) }
      }
      for name in backends.keys.sorted() {
        section.readConstants("backend", name) { backends[name]?.takeConstants(&$0) }
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
      section.takeTimes(&retry, &connectTimeout, &stallTimeout, &completeTimeout)
      partConcurrency = section.integer("part_concurrency", default: partConcurrency, in: 1...64)
      if section.has("multipart_threshold") {
        multipartThreshold = section.size("multipart_threshold", default: "5MiB", in: "1"..."5GiB")
      }
    }
  }

  extension GrantedSettings {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      section.takeTimes(&retry, &connectTimeout, &stallTimeout, &completeTimeout)
    }
  }

  extension BackendSettings {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      if !section.flag("jitter", default: true) { retry.jitter = 0 }
      connectTimeout = section.duration("connect_timeout", default: connectTimeout, in: "1ms"..."1h")
    }
  }

  extension Section {
    fileprivate mutating func takeTimes(
      _ retry: inout RetryPolicy, _ connect: inout Duration, _ stall: inout Duration, _ complete: inout Duration
    ) {
      if !flag("jitter", default: true) { retry.jitter = 0 }
      connect = duration("connect_timeout", default: connect, in: "1ms"..."1h")
      stall = duration("stall_timeout", default: stall, in: "1ms"..."1d")
      complete = duration("complete_timeout", default: complete, in: "1ms"..."1d")
    }

    /// Reads the constants of every section, then those of one section of a kind.
    fileprivate mutating func readConstants(_ kind: String, _ name: String, _ read: (inout Section) -> Void) {
      read(&self)
      guard var named = section(kind, example: ""), var own = named.section(name, example: "") else { return }
      read(&own)
      own.finish()
    }
  }
#endif
