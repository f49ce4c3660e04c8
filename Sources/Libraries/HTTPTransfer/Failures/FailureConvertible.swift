public import Jobs
public import Linux
import Messages

/// An error of a library that says what it means for the attempt that met it.
public protocol FailureConvertible: Error {
  /// The meaning.
  var failure: Failure { get }
}

extension Failure: FailureConvertible {
  /// The same failure.
  public var failure: Failure { self }

  /// Creates the failure for an error.
  ///
  /// An error that does not say what it means is transient, and its text names it: the attempt is retried, and in the end the job
  /// asks. The request may have taken effect, because nothing is known about it.
  public init(for error: any Error) {
    if let error = error as? any FailureConvertible {
      self = error.failure
      return
    }
    let name = DisplayText.escape(String(describing: type(of: error)))
    self.init(
      .transient, .unexpectedError(name: name, why: BoundedText.of(String(describing: error))), code: name,
      mayHaveActed: true)
  }
}

extension FileError: FailureConvertible {
  /// A failure of the file.
  public var failure: Failure { Failure(.file, message, code: code) }
}
