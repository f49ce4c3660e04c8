import ArgumentParser
import Assembly
import ControlAPI
import FoundationEssentials
import ObjectStorage
import Settings

/// `waybill check`
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration, without a daemon.",
    discussion: """
      Reads the file and the folder of the same name with .d, as the daemon would. All that is wrong is told with file, \
      line and key; then the exit status is 78.

      With --probe it also tries the keys: it stores, shows and deletes a small object at each storage, under a key such \
      as a job's, finds out what the storage honours of conditions, checksums and uploads in parts, and says which \
      settings fit; it warns of uploads in parts that were begun over a day ago; and it asks each backend for its \
      OPTIONS, which registers nothing. A line that begins with ! is a fault, and the exit status is 78 then; one that \
      begins with ? is advice.
      """)

  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config = "/etc/waybill/waybill.toml"
  @Flag(help: "Do not look whether the keys that it names are there and can be read.") var noKeys = false
  @Flag(help: "Also try the storages and backends. Not with --no-keys.") var probe = false

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
    Output.line("\(config) is right: \(configuration.summary)")
    if probe { try await tryOut(configuration, environment) }
  }

  private func tryOut(_ configuration: Configuration, _ environment: [String: String]) async throws {
    var hasFault = false
    try await Probe(configuration, environment: environment).run(version: WaybillVersion.current) {
      destination, found in
      for finding in found {
        Output.line("\(finding.weight.mark) \(destination) \(finding.words)")
        if finding.weight == .fault { hasFault = true }
      }
    }
    if hasFault { throw CommandFailure(status: .configuration, words: nil) }
  }
}

extension ProbeFinding.Weight {
  /// What stands before a line.
  fileprivate var mark: String {
    switch self {
    case .fits: " "
    case .advice: "?"
    case .fault: "!"
    }
  }
}
