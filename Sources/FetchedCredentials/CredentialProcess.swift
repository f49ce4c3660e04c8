import Credentials
import Jobs
import Subprocess
import SystemPackage

/// A program that prints keys (`credential_process`; "Process credential provider" in the AWS SDKs and Tools Reference Guide).
struct CredentialProcess {
  /// The longest time that the program may take.
  static let timeout: Duration = .seconds(60)

  private let command: String
  private let limit: Duration

  /// A program by its command line, which a shell reads; `limit` is the longest time that it may take.
  init(_ command: String, limit: Duration = timeout) {
    self.command = command
    self.limit = limit
  }

  func keys() async throws(FetchFailure) -> FetchedCredential {
    let name = DisplayText.escape(String(command.split(separator: " ").first ?? ""))
    let result: CollectedResult?
    do {
      result = try await collected()
    } catch {
      throw FetchFailure(
        "credential_process \(name) cannot be run: \(DisplayText.escape("\(error)"))", remedy: "see the AWS profile")
    }
    guard let result else {
      throw FetchFailure("credential_process \(name) took longer than \(limit.inUnits)", remedy: "run it by hand")
    }
    guard result.isSuccess else {
      let said =
        result.errors.split(whereSeparator: \.isNewline).last.map { ": \(DisplayText.escape(String($0)))" } ?? ""
      throw FetchFailure("credential_process \(name) failed (\(result.status))\(said)", remedy: "run it by hand")
    }
    guard let answer = KeysInJSON(Array(result.output.utf8)), answer.Version == 1 else {
      throw FetchFailure(
        "credential_process \(name) printed no keys", remedy: "it has to print JSON with \"Version\": 1")
    }
    return try answer.keys(from: "credential_process \(name)")
  }

  private struct CollectedResult: Sendable {
    var isSuccess: Bool
    var status: String
    var output: String
    var errors: String
  }

  /// A process group of its own, all of which is ended with it: a child of the shell would keep the output open.
  private static var options: PlatformOptions {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
    ]
    return options
  }

  /// The result; nil if it took too long, and was ended.
  private func collected() async throws -> CollectedResult? {
    try await withThrowingTaskGroup(of: CollectedResult?.self) { group in
      group.addTask {
        let result = try await run(
          .path("/bin/sh"), arguments: ["-c", command], environment: .inherit, platformOptions: Self.options,
          output: .string(limit: KeyFetcher.limit), error: .string(limit: KeyFetcher.limit))
        return CollectedResult(
          isSuccess: result.terminationStatus.isSuccess, status: "\(result.terminationStatus)",
          output: result.standardOutput, errors: result.standardError)
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
