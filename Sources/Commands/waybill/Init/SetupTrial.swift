import ArgumentParser
import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux
import Settings

/// The trial of a first configuration. Its files are in a directory that only root enters, and that is removed again: nothing is
/// written where it stays before storage and backend have answered.
enum SetupTrial {
  private static let folder = "/run/waybill-init"

  /// Tries the storage and the backend, as `waybill check --probe` does.
  ///
  /// - Returns: the destinations that do not work with these answers.
  static func run(_ answers: SetupAnswers, environment: [String: String]) async throws -> Set<Destination> {
    Output.line("Trying the storage and the backend …")
    remove()
    defer { remove() }
    let path = folder + "/waybill.toml"
    let start = folder + "/"
    do throws(FileError) {
      try Directory(path: "/run").makeDirectory(Array("waybill-init".utf8), permissions: 0o700)
      for key in SetupText.keyFiles(answers) {
        try createSmallFile(path: start + key.name, key.secret.bytes, owner: (0, 0), permissions: 0o600)
      }
      let text = SetupText.configuration(answers, keys: start)
      try createSmallFile(path: path, Array(text.utf8), owner: (0, 0), permissions: 0o600)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    // The service has neither the keys nor the home of who runs this.
    let environment = environment.filter {
      $0.key != "HOME" && !$0.key.hasPrefix("AWS_") && !$0.key.hasPrefix("WAYBILL_")
    }
    do {
      let configuration = try Configuration.load(path: path, environment: environment)
      return try await Probe.trial(configuration, environment: environment)
    } catch let error as ConfigurationError {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  /// Removes the files of a trial.
  static func remove() {
    // Ignored: usually there are none, and those that stay only root can read.
    try? FileManager.default.removeItem(atPath: folder)
  }
}
