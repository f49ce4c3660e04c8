import Glibc

/// A call to the system that failed: what was tried, on what, the errno, and what a person can do.
public struct SystemdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: `listen`, `bind`, `sd_listen_fds` …
  public var operation: String
  /// What it was tried on: a path, a descriptor, a name.
  public var subject: String
  /// The errno; 0 where the fault is not the kernel's.
  public var code: Int32
  /// What is wrong and what would put it right.
  public var words: String

  /// An error with its own words, or with the errno's where none are given.
  public init(_ operation: String, _ subject: String, code: Int32 = 0, words: String? = nil) {
    self.operation = operation
    self.subject = subject
    self.code = code
    self.words = words ?? Self.text(of: code)
  }

  /// One line: `operation subject: words`.
  public var description: String { "\(operation) \(subject): \(words)" }

  /// The C library's text for an errno. glibc keeps it per thread, so this is safe on any thread.
  static func text(of code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
