import Foundation
import Glibc

/// A program that goes on while the test does. What it writes goes through files, so that it never waits for us.
public final class RunningProgram {
  private let process = Process()
  private let directory: TemporaryDirectory

  /// Starts it.
  public init(_ program: String, _ arguments: [String]) throws {
    directory = try TemporaryDirectory()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try file("out")
    process.standardError = try file("err")
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    directory.remove()
  }

  /// What it wrote on standard output, line by line.
  public var lines: [String] { text("out").split(separator: "\n").map(String.init) }

  /// What it wrote on standard error.
  public var errors: String { text("err") }

  /// Waits until what it wrote fits, or it ends; the test's time limit is the deadline.
  public func reads(_ fits: ([String]) -> Bool) async throws {
    while !fits(lines) {
      guard process.isRunning else { throw Ended(status: process.terminationStatus, errors: errors) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Sends it a signal and waits for its end; its exit status, or the negative number of the signal that ended it.
  public func end(_ signal: Int32) async -> Int32 {
    kill(process.processIdentifier, signal)
    while process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// It ended although more was expected of it.
  public struct Ended: Error {
    let status: Int32
    let errors: String
  }

  private func file(_ name: String) throws -> FileHandle {
    let url = URL(filePath: directory.path + "/" + name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  private func text(_ name: String) -> String {
    FileManager.default.contents(atPath: directory.path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// Waits until a condition holds; the suite's time limit is the deadline.
public func until(_ holds: () async throws -> Bool) async throws {
  while try await !holds() { try await Task.sleep(for: .milliseconds(5)) }
}
