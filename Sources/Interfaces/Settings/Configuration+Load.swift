extension Configuration {
  /// Reads and checks a configuration: the file, then the folder of the same name with `.d`, then the environment, whose settings
  /// override those of the files. If the environment has sections, the file may be missing.
  /// - Parameters:
  ///   - path: the file, e.g. `/etc/waybill/waybill.toml`.
  ///   - environment: the daemon's environment, for defaults and for credentials.
  ///   - readingCredentials: true if the files and variables with keys must be there and readable. False checks only the text, on
  ///     a machine without the keys.
  ///   - replacing: other bytes in place of those of some files, by their paths. A file of the folder may be one that is not there
  ///     yet.
  /// - Throws: ``ConfigurationError`` with all problems. A file that is no TOML hides all others, which may be about what it has.
  public static func load(
    path: String, environment: [String: String], readingCredentials: Bool = true, replacing: [String: [UInt8]] = [:]
  ) throws(ConfigurationError) -> Configuration {
    let credentials = CredentialCheck(environment: environment, reads: readingCredentials)
    let problems = Problems(credentials)
    let sources = ConfigurationSources(
      path: path, mayBeMissing: credentials.settings.hasSections, replacing: replacing, problems: problems)
    let documents = sources.documents(problems)
    try problems.throwIfAny()
    let configuration = try ConfigurationReading(path: path, documents: documents, problems: problems).configuration()
    #if DEBUG || SIMULATION
      return configuration.withConstants(beside: path)
    #else
      return configuration
    #endif
  }

  /// Returns the folder whose files are read after a configuration's main file: `waybill.toml` has `waybill.d`; a file of another name
  /// has its name with `.d`.
  package static func folder(of path: String) -> String {
    (path.hasSuffix(".toml") ? String(path.dropLast(".toml".count)) : path) + ".d"
  }
}
