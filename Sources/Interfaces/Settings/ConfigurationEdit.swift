import Linux
import TOML

/// Changes single settings in the files of a configuration, and keeps everything else in them as it is.
public struct ConfigurationEdit: Sendable {
  /// One setting of a section.
  public struct Change: Hashable, Sendable {
    /// The path of the section, e.g. `storage.main`.
    var section: String
    /// The key in it.
    var key: String
    /// The value as TOML writes it.
    var value: String

    /// Creates a change of a setting.
    public init(section: String, key: String, value: String) {
      self.section = section
      self.key = key
      self.value = value
    }
  }

  /// The bytes of the changed files, by their paths, before and after.
  private(set) var files: [String: (old: [UInt8], new: [UInt8])] = [:]

  /// The paths of the files that would be changed, sorted.
  public var paths: [String] { files.keys.sorted() }

  /// Makes changes to a configuration that was read from its files, without writing anything.
  ///
  /// - Throws: ``ConfigurationProblem`` for a setting that cannot be changed by a line of a file.
  public init(_ changes: [Change], of configuration: Configuration) throws(ConfigurationProblem) {
    for change in changes {
      let keyPath = "\(change.section).\(change.key)"
      let place = configuration.places[keyPath] ?? configuration.places[change.section]
      let line = "\(change.key) = \(change.value)"
      guard let file = place?.file, file != EnvironmentSettings.file else {
        throw configuration.problem(
          keyPath, "is set by a variable of the environment, which cannot be changed here",
          remedy: "set it there: \(line)")
      }
      let old = try old(file)
      let path = change.section.split(separator: ".").map(String.init)
      guard
        let new = TOMLDocument.setting(change.key, to: change.value, at: path, in: files[file]?.new ?? old)
      else {
        throw configuration.problem(
          keyPath, "cannot be changed by one line here", remedy: "write it by hand: \(line)")
      }
      files[file] = (old, new)
    }
  }

  private func old(_ file: String) throws(ConfigurationProblem) -> [UInt8] {
    if let known = files[file] { return known.old }
    do throws(FileError) {
      return try readSmallFile(path: file, limit: Document.limit)
    } catch {
      throw FileProblem.of(error, file: file)
    }
  }

  /// Returns the configuration with the changes, checked like any other.
  ///
  /// - Throws: ``ConfigurationError`` with all problems.
  public func configuration(
    path: String, environment: [String: String]
  ) throws(ConfigurationError) -> Configuration {
    try Configuration.load(path: path, environment: environment, replacing: files.mapValues(\.new))
  }

  /// Writes each changed file atomically, with its mode and owner.
  ///
  /// - Throws: ``ConfigurationProblem`` for the first file that cannot be written, or that somebody else has changed.
  public func write() throws(ConfigurationProblem) {
    for (file, bytes) in files.sorted(by: { $0.key < $1.key }) {
      do throws(FileError) {
        try replaceSmallFile(path: file, old: bytes.old, with: bytes.new, limit: Document.limit)
      } catch {
        throw ConfigurationProblem(
          file: file, words: "cannot be written: \(error.words)", remedy: "write the settings by hand")
      }
    }
  }
}
