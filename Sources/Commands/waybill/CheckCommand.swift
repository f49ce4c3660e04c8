import ArgumentParser
import CommandParts
import ControlAPI
import Credentials
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration, without a daemon.",
    discussion: """
      Reads the configuration file and its folder .d as the daemon would, and reports every error with file, line \
      and key. Shows the keys that are set by variables of this command's environment, the source of each \
      credential, and the expiry of client certificates, but never a secret. Warns of probable mistakes: a secret \
      that every user can read, or http:// to another host.

      Then it checks whether the directories of the spools belong to the daemon's user, the owner of the state \
      directory, and prints the commands that make those that are missing. waybill status shows where the daemon \
      cannot claim files.

      With --probe it also tests the keys: at each storage it stores, looks up, tries to replace and deletes a small \
      object. Each backend gets an OPTIONS request, which registers nothing.

      With --report it prints only what the storages do, as rows of the table of docs/storages.md with the details, to \
      be sent to the project. It leaves out names of storages, buckets and hosts, and keys.

      A line that begins with ! is an error; the exit status is then 78. A line that begins with ? is advice.
      """)

  @Option(help: .config, completion: .file(extensions: ["toml"])) var config = SetupPlace.usual
  @Flag(help: "Do not check that the configured keys can be read.") var noKeys = false
  @Flag(help: "Do not check the spools.") var noSpools = false
  @Flag(help: "Also test the storages and backends. Not with --no-keys.") var probe = false
  @Flag(help: "With --probe: print only a report about the storages, for others.") var report = false

  func validate() throws {
    if report, !probe { throw ValidationError("--report needs --probe.") }
    if noKeys, probe { throw ValidationError("--probe needs the keys: leave out --no-keys.") }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(
        path: config, environment: environment, readingCredentials: !noKeys)
    } catch {
      for problem in error.problems { Output.plainError(problem.description) }
      throw CommandFailure(status: .configuration, words: nil)
    }
    if probe { configuration.daemon.setProcessZone() }  // for dates in keys
    var report = FindingReport()
    if self.report {
      try await Probe(configuration, environment: environment).run(&report, isPublic: true)
      if !report.faulty.isEmpty { throw CommandFailure(status: .configuration, words: nil) }
      return
    }
    Output.folded("\(config) is valid: \(configuration.summary)")
    for (variable, key) in configuration.variables.sorted(by: { $0.key < $1.key }) {
      Output.folded("  \(DisplayText.escape(key)) is set by \(DisplayText.escape(variable))")
    }
    var findings = ConfigurationAdvice.settings(configuration)
    if !noKeys {
      findings += ConfigurationAdvice.certificates(configuration, environment: environment)
      findings += ConfigurationAdvice.signing(configuration, environment: environment)
      findings += ConfigurationAdvice.keys(configuration, environment: environment)
    }
    for (subject, finding) in findings { report.add(subject, [finding]) }
    if probe { try await Probe(configuration, environment: environment).run(&report) }
    if !noSpools { checkSpools(configuration, &report) }
    if !report.faulty.isEmpty { throw CommandFailure(status: .configuration, words: nil) }
  }

  private func checkSpools(_ configuration: Configuration, _ report: inout FindingReport) {
    let user = configuration.daemonUser(at: config) ?? ProcessRights.user
    let recipe = SpoolCheck.recipe(
      configuration, DirectoryRecipe(user: UserName.of(user)), owner: { SpoolCheck.owner(of: $0, for: user) },
      findings: { report.add($0, [$1]) })
    guard !recipe.isEmpty else { return }
    Output.line("to put the directories right, as root, before waybill reload:")
    for command in recipe { Output.line("  \(DisplayText.escape(command))") }
  }
}

/// Prints findings: an error begins with !, advice with ?.
struct FindingReport {
  private(set) var faulty: Set<String> = []

  mutating func add(_ subject: String, _ findings: [ProbeFinding]) {
    for finding in findings {
      Output.folded("\(finding.mark) \(subject) \(DisplayText.escape(finding.words))")
      if finding.weight == .fault { faulty.insert(subject) }
    }
  }

  /// Prints the findings about a storage as a row of the table in docs/storages.md, and all of them below it.
  mutating func add(_ settings: StorageSettings, _ findings: [ProbeFinding]) {
    func cell(_ finding: ProbeFinding) -> String { DisplayText.escape(finding.report).replacing("|", with: "\\|") }
    let place = AWSHost(settings.endpoint) == nil ? "not AWS" : "AWS"
    let options =
      #"`addressing = "\#(settings.addressing.rawValue)"`, `checksum = "\#(settings.checksum.rawValue)"`, "#
      + "`overwrite = \(settings.overwrite)`"
    let notes = findings.filter { $0.weight != .fits }.map(cell).joined(separator: "; ")
    Output.line("| SERVICE | \(place); `\(settings.region)` | \(options) | \(notes) |\n")
    for finding in findings { Output.line("- `\(finding.mark)` \(cell(finding))") }
    Output.line("\nBy waybill \(WaybillVersion.current).\n")
    if findings.contains(where: { $0.weight == .fault }) { faulty.insert(settings.name) }
  }
}

extension ProbeFinding {
  fileprivate var mark: String { weight == .fault ? "!" : weight == .advice ? "?" : " " }
}
