public import Jobs
import Linux
import Messages

extension TransferError: FailureConvertible {
  /// A cancelled transfer is no failure of the server: check for the cancellation first.
  public var failure: Failure {
    let kind: Failure.Kind =
      switch self.kind {
      case .resolve, .connect, .connectTimeout, .tlsHandshake, .proxy: .network
      // It passes when the clock here is set, or the certificate's time begins.
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
