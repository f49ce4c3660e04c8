import Jobs

/// Reads a configuration from its parsed files: first the sections, then the references between them.
struct ConfigurationReading {
  let problems: Problems
  /// The main file.
  let path: String
  private var named = NamedSections()
  /// True if everything in the files was understood. If not, a section that seems to be missing may be in a part that was not.
  private let isComplete: Bool

  init(path: String, documents: [Document], problems: Problems) {
    self.path = path
    self.problems = problems
    for document in documents {
      named.add(document, isMain: document.file == path, problems: problems)
    }
    isComplete = problems.isEmpty
    // A name in a variable may belong to a section that could not be read.
    if isComplete { named.addMissing(problems) }
  }

  /// Returns the configuration; throws if it has any problem.
  func configuration() throws(ConfigurationError) -> Configuration {
    let environment = problems.credentials.settings
    var daemonSection = section("daemon")
    let daemon = DaemonSettings(&daemonSection)
    var retrySection = section("retry")
    let retry = retrySection.retryPolicy(over: RetryPolicy())
    // Spools come first, because the settings of destinations may name parts of their files' names.
    var captures: [String: [String]] = [:]
    var spools: [SpoolOptions] = []
    var folders = Folders()
    for (name, var section) in named.spools {
      let spool = SpoolOptions(&section, name: name, among: named, captures: &captures)
      if let spool { spools.append(spool) }
      folders.add(section, "path")
      folders.add(section, "archive")
    }
    folders.check(state: daemon.state, daemonSection)
    var storages: [String: StorageSettings] = [:]
    for (name, var section) in named["storage"] {
      section.captures = captures["storage.\(name)"] ?? []
      storages[name] = StorageSettings(&section, name: name, retry: retry)
    }
    var backends: [String: BackendSettings] = [:]
    for (name, var section) in named["backend"] {
      section.captures = captures["backend.\(name)"] ?? []
      backends[name] = BackendSettings(&section, name: name, retry: retry)
    }
    var notifySection = section("notify")
    let notify = NotifySettings(&notifySection)
    var webhooks: [String: WebhookSettings] = [:]
    for (name, var section) in named["webhook"] {
      webhooks[name] = WebhookSettings(&section, name: name)
    }
    for spool in spools where backends[spool.backend]?.wantsDigest == true { storages[spool.storage]?.digest = true }
    if isComplete {
      requireOneOfEach()
      environment.finish(problems)
    }
    try problems.throwIfAny()
    return Configuration(
      daemon: daemon, retry: retry, storages: storages, backends: backends, spools: spools, notify: notify,
      webhooks: webhooks,
      variables: environment.used.filter { !$0.value.isEmpty },
      places: named.places(main: path, environment: environment))
  }

  /// Returns a section of which there is one; an empty one if no file has it.
  private func section(_ name: String) -> Section {
    var section = named.single[name] ?? Section(file: path, path: name, line: nil, table: [:], problems: problems)
    section.beginnings = [EnvironmentSettings.beginning(name)]
    return section
  }

  private func requireOneOfEach() {
    func require(_ isThere: Bool, _ words: String, _ remedy: String) {
      if !isThere { problems.add(ConfigurationProblem(file: path, words: words, remedy: remedy)) }
    }
    require(!named["storage"].isEmpty, "no storage is configured", "add [storage.main] with endpoint, bucket and keys")
    require(!named["backend"].isEmpty, "no backend is configured", "add [backend.main] with url")
    require(!named.spools.isEmpty, "no spool is configured", "add [[spool]] with path")
  }
}
