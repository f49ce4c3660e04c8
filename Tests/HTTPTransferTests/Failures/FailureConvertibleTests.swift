import Glibc
import HTTPTransfer
import Jobs
import MessageLiterals
import Messages
import Testing

@Suite struct FailureConvertibleTests {
  private struct Unknown: Error {}

  @Test func mapsEveryTransferErrorKind() {
    let table: [TransferError.Kind: Failure.Kind] = [
      .resolve: .network, .connect: .network, .connectTimeout: .network, .tlsHandshake: .network, .proxy: .network,
      .tlsNotYetValid: .network, .tlsCertificate: .destination, .tlsVersion: .destination,
      .tlsPlain: .destination,
      .clientCertificate: .credentials, .stalled: .transient,
      .timeout: .transient,
      .connectionLost: .transient,
      .badResponse: .transient, .tooLarge: .transient, .cancelled: .transient, .outOfMemory: .transient,
      .other: .transient, .badRequest: .rejected, .readFailed: .file,
    ]
    for kind in TransferError.Kind.allCases {
      for arrived in [false, true] {
        let failure = Failure(
          for: TransferError(kind, "words", code: 7, requestMayHaveArrived: arrived))
        #expect(failure.kind == table[kind])
        #expect(failure.mayHaveActed == arrived)
        #expect(failure.code == ([.stalled, .timeout].contains(kind) ? Failure.timeoutCode : "curl-7"))
        #expect(failure.words == "words")
      }
    }
  }

  @Test func unknownErrorIsTransientAndNamed() {
    let failure = Failure(for: Unknown())
    #expect(failure.kind == .transient)
    #expect(failure.mayHaveActed)
    #expect(failure.words.contains("Unknown"))
  }
}
