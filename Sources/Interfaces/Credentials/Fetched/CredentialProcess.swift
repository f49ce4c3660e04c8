import Jobs
import Linux
import Messages
import Subprocess
import SystemPackage

/// A program that prints keys (`credential_process`; "Process credential provider" in the AWS SDKs and Tools Reference Guide).
///
/// It has its own environment (``ProgramEnvironment``) and session, three descriptors, no input and no capability
/// (`ProcessRights.keepFromPrograms`). What it writes to standard error is dropped, because that may contain its secrets.
struct CredentialProcess {
  static let timeout: Duration = .seconds(60)

  private let command: String
  private let environment: ProgramEnvironment
  private let limit: Duration
  private let shell: String
  private let descriptors: Int?

  /// Creates a program from its command line, which a shell reads. Without a shell, as in an image for containers, white space divides it,
  /// and its descriptors have the daemon's own limit.
  init(
    _ command: String, environment: [String: String] = [:], limit: Duration = timeout, shell: String = "/bin/sh",
    descriptors: Int? = DescriptorLimit.ofPrograms
  ) {
    self.command = command
    self.environment = ProgramEnvironment(of: environment)
    self.limit = limit
    self.shell = shell
    self.descriptors = descriptors
  }

  private var program: (Executable, Arguments) {
    guard realPath(Array(shell.utf8)) == nil else {
      let limit = descriptors.map { "ulimit -S -n \($0)\n" } ?? ""
      return (.path(FilePath(shell)), ["-c", limit + command])
    }
    let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
    let first = words.first ?? ""
    return (first.contains("/") ? .path(FilePath(first)) : .name(first), Arguments(Array(words.dropFirst())))
  }

  func keys() async throws(KeyFault) -> FetchedCredential {
    // No variable that is set before the program, which may be a secret, and no argument.
    let program = command.split(whereSeparator: \.isWhitespace).first { !$0.contains("=") } ?? ""
    let place = Message.credentialProcess(program: DisplayText.escape(String(program)))
    let result: Outcome?
    do {
      result = try await collected()
    } catch {
      throw KeyFault(.programCannotRun(place: place, why: DisplayText.escape("\(error)")), remedy: .seeAwsProfile)
    }
    guard let result else { throw KeyFault(.programTooSlow(place: place, limit: limit), remedy: .runByHand) }
    guard result.isSuccess else {
      throw KeyFault(.programFailed(place: place, status: result.status), remedy: .runByHand)
    }
    guard let answer = KeysInJSON(Array(result.output.utf8)), answer.version == 1 else {
      throw KeyFault(.programPrintedNone(place: place), remedy: .printVersion)
    }
    return try answer.keys(from: place)
  }

  private typealias Outcome = (isSuccess: Bool, status: String, output: String)

  /// A separate session and process group, which is killed as a whole: otherwise a child of the shell could keep the output open.
  private static var options: PlatformOptions {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
    ]
    return options
  }

  /// Runs the program, and returns its result; nil if it took too long and was killed.
  private func collected() async throws -> Outcome? {
    let variables = environment.variables.reduce(into: [Environment.Key: String]()) { keys, variable in
      if let key = Environment.Key(rawValue: variable.key) { keys[key] = variable.value }
    }
    return try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        let result = try await run(
          program.0, arguments: program.1, environment: .custom(variables), platformOptions: Self.options,
          output: .string(limit: OwnTransport.limit), error: .discarded)
        return (result.terminationStatus.isSuccess, "\(result.terminationStatus)", result.standardOutput)
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
