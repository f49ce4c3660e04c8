import Jobs
import Linux
import Messages

extension FailureAdapter {
  /// The adapter for errors of transfers. A cancelled transfer is no failure of the server: check for the cancellation first.
  static let transfer = FailureAdapter(for: TransferError.self) { error in
    let kind: Failure.Kind
    switch error.kind {
    case .resolve, .connect, .connectTimeout, .tlsHandshake, .proxy: kind = .network
    // It passes when the clock here is set, or the certificate's time begins.
    case .tlsNotYetValid: kind = .network
    case .tlsCertificate, .tlsVersion, .tlsPlain: kind = .destination
    case .clientCertificate: kind = .credentials
    case .stalled, .timeout, .connectionLost, .badResponse, .tooLarge, .cancelled, .outOfMemory, .other:
      kind = .transient
    case .badRequest: kind = .rejected
    case .readFailed: kind = .file
    }
    return Failure(
      kind, error.message.changed { BoundedText.of($0) }, code: code(of: error),
      mayHaveActed: error.requestMayHaveArrived)
  }

  /// Returns the name of the system's error if there is one, because it says more than libcurl's code.
  private static func code(of error: TransferError) -> String? {
    if error.kind == .stalled || error.kind == .timeout { return Failure.timeoutCode }
    let isTheSystems = error.kind == .connect || error.kind == .readFailed
    if isTheSystems, error.osError != 0 { return ErrorNumber(error.osError).name }
    return error.code == 0 ? nil : "curl-\(error.code)"
  }
}
