import ArgumentParser
import FoundationEssentials
import Settings

/// `waybill check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration, without a daemon.",
    discussion: """
      Reads the file and the folder of the same name with .d, as the daemon would. What is wrong is told with file, \
      line and key; then the exit status is 78.
      """)

  @Option(help: "The configuration file.", completion: .file(extensions: ["toml"])) var config =
    "/etc/waybill/waybill.toml"
  @Flag(help: "Do not look whether the keys that it names are there and can be read.") var noKeys = false

  func run() throws {
    do {
      let configuration = try Configuration.load(
        path: config, environment: ProcessInfo.processInfo.environment, readingCredentials: !noKeys)
      Output.line("\(config) is right: \(configuration.summary)")
    } catch {
      for problem in error.problems { Output.plainError(problem.description) }
      throw CommandFailure(status: .configuration, words: nil)
    }
  }
}
