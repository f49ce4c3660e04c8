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

extension TransferError: FailureConvertible {
  /// A cancelled transfer is no failure of the server: check for the cancellation first.
  public var failure: Failure {
    let kind: Failure.Kind =
      switch self.kind {
      case .resolve, .connect, .connectTimeout, .tlsHandshake, .proxy: .network
      // This passes when the clock here is set, or the certificate's time begins.
      case .tlsNotYetValid: .network
      case .tlsCertificate, .tlsVersion, .tlsPlain: .destination
      case .clientCertificate: .credentials
      case .stalled, .timeout, .connectionLost, .badResponse, .tooLarge, .cancelled, .outOfMemory, .other: .transient
      case .badRequest: .rejected
      case .readFailed: .file
      }
    return Failure(
      kind, message.changed { BoundedText.of($0) }, code: failureCode, mayHaveActed: requestMayHaveArrived)
  }

  /// The name of the system's error if there is one, because it says more than libcurl's code.
  private var failureCode: String? {
    if kind == .stalled || kind == .timeout { return Failure.timeoutCode }
    if kind == .connect || kind == .readFailed, osError != 0 { return ErrorNumber(osError).name }
    return code == 0 ? nil : "curl-\(code)"
  }
}
