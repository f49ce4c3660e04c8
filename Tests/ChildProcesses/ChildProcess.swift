public import Foundation
import Glibc

/// A process that a test started. Its output goes to files: no pipe can fill up, and none is inherited by a sibling.
///
/// It ends with its value at the latest.
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum End: Equatable, Sendable {
    /// By itself, with this status.
    case exit(Int32)
    /// By the signal of this number.
    case signal(Int32)
  }

  /// What a process reads on standard input.
  public enum Input: Sendable {
    /// Nothing: it is at its end at once.
    case nothing
    /// A file.
    case file(URL)
    /// What ``ChildProcess/write(_:)`` gives it, until ``ChildProcess/closeInput()``.
    case written
  }

  /// The process that starts all of these. It holds none of the test program's descriptors.
  public static var starter: Int32 { Spawn.starter }

  /// Its number, which is that of its process group too.
  public var pid: Int32 { waiter.pid }
  private let words: [String]
  private let ownFolder: TemporaryFolder?
  private let output: URL
  private let errors: URL
  private let inputEnd: InputEnd?
  private let waiter: Waiter

  /// Starts a program found in PATH (or by its whole path). Its output is in `NAME.out` and `NAME.err` of the folder, or of
  /// one that goes with this value. The environment is what differs from the test's own; what is nil is taken away.
  public init(
    _ words: [String], environment: [String: String?] = [:], input: Input = .nothing, folder: URL? = nil,
    log name: String = "c"
  ) throws {
    self.words = words
    ownFolder = folder == nil ? try TemporaryFolder() : nil
    guard let folder = folder ?? ownFolder?.url else { throw Missing("no folder for the output of \(words)") }
    output = folder.appending(path: name + ".out")
    errors = folder.appending(path: name + ".err")
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    let spawn = Spawn(words: words, environment: variables, output: output.path, errors: errors.path)
    switch input {
    case .nothing:
      inputEnd = nil
      waiter = try spawn.start(input: "/dev/null")
    case .file(let file):
      inputEnd = nil
      waiter = try spawn.start(input: file.path)
    case .written:
      let (ours, theirs) = try InputEnd.pair()
      inputEnd = ours
      defer { theirs.close() }
      waiter = try theirs.withDescriptor { try spawn.start(input: $0) }
    }
  }

  deinit { cut() }

  /// What it has written on standard output so far.
  public var outputText: String { Self.text(of: output) }
  /// What it has written on standard error so far.
  public var errorText: String { Self.text(of: errors) }

  /// How it ended; nil while it runs.
  public func ending() throws -> End? { try waiter.end() }

  /// Sends a signal, unless it has ended: its number may be another's by now.
  public func signal(_ number: Int32) { waiter.signal(number) }

  /// Gives it something to read. Meant for a few words: what does not fit into the socket's buffer is an error.
  public func write(_ text: String) throws {
    guard let inputEnd else { throw Missing("the input of \(words) is not to be written") }
    try inputEnd.write(text)
  }

  /// Ends its input, if it was to be written.
  public func closeInput() { inputEnd?.close() }

  /// Waits for the end.
  @discardableResult
  public func end(
    within limit: Duration = patience, file: String = #fileID, line: Int = #line
  ) async throws -> End {
    try await until("the end of \(words)", within: limit, every: .milliseconds(5), file: file, line: line) {
      try ending()
    }
  }

  /// Waits for the end, and for what there is to say of it.
  public func result(
    within limit: Duration = patience, file: String = #fileID, line: Int = #line
  ) async throws -> Command {
    let status: Int32 =
      switch try await end(within: limit, file: file, line: line) {
      case .exit(let status): status
      case .signal(let number): 128 + number
      }
    return Command(status: status, output: outputText, errors: errorText)
  }

  /// Waits until a text stands in its output, and returns all of the output.
  @discardableResult
  public func prints(
    _ text: String, file: String = #fileID, line: Int = #line
  ) async throws -> String {
    try await prints("'\(text)'", file: file, line: line) { $0.contains(text) }
  }

  /// Waits until its output is as it should be, and returns all of it.
  @discardableResult
  public func prints(
    _ what: String, file: String = #fileID, line: Int = #line, where fits: (String) -> Bool
  ) async throws -> String {
    try await until("\(words) to print \(what)", every: .milliseconds(5), file: file, line: line) {
      // In this order: what it wrote before its end is seen.
      let ending = try ending()
      let output = outputText
      if fits(output) { return output }
      if let ending { throw Missing("\(file):\(line): \(words) ended (\(ending)) without \(what): \(errorText)") }
      return nil
    }
  }

  /// Ends it whatever it does, with the processes of its group, and comes back when it is gone. For the end of a test.
  ///
  /// This holds the thread for the moment that the kernel takes, as it is called where nothing can be awaited.
  public func cut() {
    waiter.signalGroup(SIGKILL)
    closeInput()
    for _ in 0..<5000 {
      do {
        if try ending() != nil { return }
      } catch {
        break
      }
      usleep(1000)
    }
    print("ignored: process \(waiter.pid) (\(words)) may be left behind")
  }

  private static func text(of file: URL) -> String {
    String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
  }
}
