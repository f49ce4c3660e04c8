import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// `waybill check`
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

      A line that begins with ! is an error; the exit status is then 78. A line that begins with ? is advice.
      """)

  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = "/etc/waybill/waybill.toml"
  @Flag(help: "Do not check that the configured keys can be read.") var noKeys = false
  @Flag(help: "Do not check the spools.") var noSpools = false
  @Flag(help: "Also test the storages and backends. Not with --no-keys.") var probe = false

  func validate() throws {
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
    Output.folded("\(config) is valid: \(configuration.summary)")
    for (variable, key) in configuration.variables.sorted(by: { $0.key < $1.key }) {
      Output.folded("  \(DisplayText.escape(key)) is set by \(DisplayText.escape(variable))")
    }
    var report = FindingReport()
    var findings = ConfigurationAdvice.settings(configuration)
    if !noKeys {
      findings += ConfigurationAdvice.certificates(configuration, environment: environment)
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
      configuration, DirectoryRecipe(of: user), owner: { SpoolCheck.owner(of: $0, for: user) },
      findings: { report.add($0, [$1]) })
    guard !recipe.isEmpty else { return }
    Output.line("to put the directories right, as root, before waybill reload:")
    for command in recipe { Output.line("  \(DisplayText.escape(command))") }
  }
}

/// Prints findings: an error begins with !, advice with ?.
struct FindingReport {
  /// The subjects with an error.
  private(set) var faulty: Set<String> = []

  mutating func add(_ subject: String, _ findings: [ProbeFinding]) {
    for finding in findings {
      let mark = finding.weight == .fault ? "!" : finding.weight == .advice ? "?" : " "
      Output.folded("\(mark) \(subject) \(DisplayText.escape(finding.words))")
      if finding.weight == .fault { faulty.insert(subject) }
    }
  }
}
