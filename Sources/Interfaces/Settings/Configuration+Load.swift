import Jobs

extension Configuration {
  /// Reads and checks a configuration: the file, then the folder of the same name with `.d`, then the environment, whose settings
  /// override those of the files. If the environment has sections, the file may be missing.
  /// - Parameters:
  ///   - readingCredentials: false to check only the text, on a machine without the files and variables with keys.
  ///   - replacing: other bytes in place of those of some files, by their paths. A file of the folder may be one that is not there yet.
  /// - Throws: ``ConfigurationError`` with all problems. A file that is no TOML hides all others, which may be about what it has.
  public static func load(
    path: String, environment: [String: String], readingCredentials: Bool = true, replacing: [String: [UInt8]] = [:]
  ) throws(ConfigurationError) -> Configuration {
    let credentials = CredentialCheck(environment: environment, reads: readingCredentials)
    let problems = Problems(credentials)
    let documents = Document.all(
      path: path, mayBeMissing: credentials.settings.hasSections, replacing: replacing, problems: problems)
    try problems.throwIfAny()
    var named = NamedSections()
    for document in documents { named.add(document, isMain: document.file == path, problems: problems) }
    let configuration = try Configuration(&named, path: path, problems: problems)
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

  /// Reads the sections, then the references between them. Throws if there is any problem.
  private init(_ named: inout NamedSections, path: String, problems: Problems) throws(ConfigurationError) {
    let environment = problems.credentials.settings
    // If not everything in the files was understood, a section that seems to be missing may be in a part that was not; a name in a
    // variable may be that section's.
    let isComplete = problems.isEmpty
    if isComplete { named.addMissing(problems) }
    var daemonSection = named.one("daemon", main: path, problems)
    daemon = DaemonSettings(&daemonSection)
    var retrySection = named.one("retry", main: path, problems)
    retry = retrySection.retryPolicy(over: RetryPolicy())
    // Spools come first, because the settings of destinations may name parts of their files' names.
    var captures: [String: [String]] = [:]
    var folders = Folders()
    (spools, storages, granted, backends, webhooks) = ([], [:], [:], [:], [:])
    for (name, var section) in named.spools {
      let spool = SpoolOptions(&section, name: name, among: named, captures: &captures)
      if let spool {
        spools.append(spool)
        places[spool.name] = (section.file, section.line)
      }
      folders.add(section, "path")
      folders.add(section, "archive")
    }
    folders.check(state: daemon.state, daemonSection)
    for (name, var section) in named["storage"] {
      section.captures = captures["storage.\(name)"] ?? []
      if section.has("from") {
        granted[name] = GrantedSettings(&section, name: name, among: named, retry: retry)
      } else {
        storages[name] = StorageSettings(&section, name: name, retry: retry)
      }
    }
    for (name, var section) in named["backend"] {
      section.captures = captures["backend.\(name)"] ?? []
      backends[name] = BackendSettings(&section, name: name, retry: retry)
    }
    for (name, var section) in named["webhook"] { webhooks[name] = WebhookSettings(&section, name: name) }
    for spool in spools where backends[spool.backend]?.wantsDigest == true {
      storages[spool.storage]?.digest = true
      granted[spool.storage]?.digest = true
    }
    if isComplete {
      named.requireOneOfEach(main: path, problems)
      environment.finish(problems)
    }
    variables = environment.used.filter { !$0.value.isEmpty }
    try problems.throwIfAny()
  }
}
