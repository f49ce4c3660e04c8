import Linux

/// The bytes of a configuration's files, to find out whether those on disk are the ones in use. Variables of the environment are not
/// among them: they do not change while a process runs.
public struct ConfigurationSources: Hashable, Sendable {
  /// The bytes by the files' paths. A main file that is missing has none: the environment may have all settings.
  private let files: [String: [UInt8]]

  /// Reads the files of a configuration; nil if one of them, or the folder, cannot be read.
  ///
  /// - Parameter path: the main file.
  public static func read(path: String) -> ConfigurationSources? {
    let problems = Problems()
    let names =
      [path]
      + ConfigurationFolder.files(
        in: ConfigurationFolder.folder(of: path), adding: [String](), problems: problems)
    guard problems.isEmpty else { return nil }
    var files: [String: [UInt8]] = [:]
    for name in names where Document.isThere(name) {
      guard let bytes = try? readSmallFile(path: name, limit: Document.limit) else { return nil }
      files[name] = bytes
    }
    return ConfigurationSources(files: files)
  }
}
