import Foundation

/// Runs what blocks on a thread of its own: the pool has as many threads as there are processors, and all tests share it.
func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// What a program prints, errors included, once it has ended.
func output(of program: String, _ arguments: [String]) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
}
