#if DEBUG || SIMULATION
  import FoundationEssentials
  import Jobs
  import TOML

  /// Other values of constants, for tests that cannot wait for the real ones. Debug builds read them from a file beside the
  /// configuration, `waybill.toml.constants`: each line is `name = value`, as in TOML, and counts in every section. Release builds have
  /// nothing of this.
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
        for index in spools.indices { configuration.spools[index].takeConstants(&section) }
        section.finish()
        try problems.throwIfAny()
      } catch {
        fatalError("\(file): \(error)")
      }
      return configuration
    }
  }

  extension SpoolOptions.Watch: Choice {}

  extension SpoolOptions {
    fileprivate mutating func takeConstants(_ section: inout Section) {
      keepFiles = section.integer("keep_files", default: keepFiles, in: 1...10_000_000)
      watch = section.choice("watch", default: watch)
      longestLook = section.duration("longest_look", default: longestLook, in: "1ms"..."7d")
    }
  }
#endif
