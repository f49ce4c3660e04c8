import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings

/// `waybill check`
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration, without a daemon.",
    discussion: """
      Reads the configuration file and its folder .d as the daemon would, and reports every error with file, line \
      and key. Shows the keys that are set by variables of this command's environment, the source of each \
      credential, and the expiry of client certificates, but never a secret. Warns of probable mistakes: a secret \
      that every user can read, or http:// to another host.

      Then it checks the spools: it opens, reads and watches each spool, claims a test file, and checks whether the \
      systemd unit lets the daemon write there. It prints the commands that fix what is missing. As root it does \
      this as the daemon's user, the owner of the state directory.

      With --probe it also tests the keys: at each storage it stores, looks up and deletes small objects, one in \
      parts, and reports which conditions, checksums and multipart features the storage supports, and whether a \
      lifecycle rule ends unfinished uploads. Each backend gets an OPTIONS request, which registers nothing.

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
    var hasFault = false
    let advice = ConfigurationAdvice.of(
      configuration, environment: environment,
      now: Timestamp(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000)), readingCredentials: !noKeys)
    for (destination, finding) in advice { report(destination, [finding], &hasFault) }
    if !noKeys {
      for (destination, finding) in KeySources.findings(configuration, environment: environment) {
        report(destination.text, [finding], &hasFault)
      }
    }
    if probe {
      let faulty = try await Probe.trial(configuration, environment: environment)
      hasFault = hasFault || !faulty.isEmpty
    }
    if !noSpools { lookAtSpools(configuration, &hasFault) }
    if hasFault { throw CommandFailure(status: .configuration, words: nil) }
  }

  /// Runs last, because it changes to the daemon's user.
  private func lookAtSpools(_ configuration: Configuration, _ hasFault: inout Bool) {
    let user = ProcessRights.user
    if let daemon = DaemonUser.of(configuration, at: config), daemon != user {
      guard user == 0 else {
        let remedy = "run this as user \(UserName.of(daemon)), or as root"
        for spool in configuration.spools {
          report("spool.\(spool.name)", [ProbeFinding(.advice, "was not checked: \(remedy)")], &hasFault)
        }
        return
      }
      do throws(FileError) {
        try ProcessRights.become(daemon)
      } catch {
        report("daemon", [ProbeFinding(.advice, "spools were not checked: \(error.words)")], &hasFault)
        return
      }
    }
    let sandbox = UnitSandbox(ofConfiguration: config)
    let recipe = SpoolCheck.recipe(configuration, sandbox) { report($0, [$1], &hasFault) }
    SpoolCheck.run(configuration) { report($0, $1, &hasFault) }
    guard !recipe.isEmpty else { return }
    Output.line("to put the directories right, as root:")
    for command in recipe { Output.line("  \(DisplayText.escape(command))") }
  }

  private func report(_ subject: String, _ findings: [ProbeFinding], _ hasFault: inout Bool) {
    if Self.show(subject, findings) { hasFault = true }
  }

  /// Prints findings.
  ///
  /// - Returns: true if one of them is a fault.
  static func show(_ subject: String, _ findings: [ProbeFinding]) -> Bool {
    for finding in findings {
      Output.folded("\(finding.weight.mark) \(subject) \(DisplayText.escape(finding.words))")
    }
    return findings.contains { $0.weight == .fault }
  }
}

extension Probe {
  /// Tries the storages and backends of a configuration, and prints what it finds.
  ///
  /// - Returns: the destinations with a fault.
  static func trial(_ configuration: Configuration, environment: [String: String]) async throws -> Set<Destination> {
    var faulty: Set<Destination> = []
    try await Probe(configuration, environment: environment).run(version: WaybillVersion.current) {
      if CheckCommand.show($0.text, $1) { faulty.insert($0) }
    }
    return faulty
  }
}

extension ProbeFinding.Weight {
  /// The mark before a line.
  var mark: String {
    switch self {
    case .fits: " "
    case .advice: "?"
    case .fault: "!"
    }
  }
}
