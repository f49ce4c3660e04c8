import Linux

/// A failed system call: operation, subject, errno and remedy.
public struct SystemdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation: `listen`, `bind`, `sd_listen_fds` …
  var operation: String
  /// The object of the operation: a path, a descriptor, a name.
  public var subject: String
  /// The errno; 0 if no system call failed.
  public var code: Int32
  /// The error in words, with the remedy.
  public var words: String

  /// An error with its own words, or with the errno's where none are given.
  init(_ operation: String, _ subject: String, code: Int32 = 0, words: String? = nil) {
    self.operation = operation
    self.subject = subject
    self.code = code
    self.words = words ?? ErrorNumber(code).reason
  }

  /// One line: `operation subject: words`.
  public var description: String { "\(operation) \(subject): \(words)" }
}
