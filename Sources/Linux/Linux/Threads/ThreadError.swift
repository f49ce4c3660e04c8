/// The system refused a thread, a timer or an eventfd.
public struct ThreadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation as a verb: `start`.
  public let operation: String
  /// The object that was requested: `the thread journal`.
  public let subject: String
  /// The error number: EAGAIN at the limit of threads, EMFILE or ENFILE at those of descriptors.
  public let code: Int32

  /// An operation that failed with an error number.
  public init(_ operation: String, _ subject: String, code: Int32) {
    self.operation = operation
    self.subject = subject
    self.code = code
  }

  /// One line, e.g. `cannot start the thread journal: Resource temporarily unavailable (EAGAIN)`.
  public var description: String {
    let number = ErrorNumber(code)
    return "cannot \(operation) \(subject): \(number.reason) (\(number.name))"
  }
}
