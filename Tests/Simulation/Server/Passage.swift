package import HTTPTransfer
import MessageLiterals

/// The fate of one request: when the server acts on it, if it does, and what its caller hears.
package struct Passage: Codable, Hashable, Sendable {
  /// The time at which the server acts on it (``Servers/act(on:now:)``); nil if it never does. It does so also if the daemon
  /// has died by then.
  package var actsAt: Duration?
  package var outcome: Outcome

  /// What a caller hears of its request.
  package enum Outcome: Codable, Hashable, Sendable {
    /// The answer that the server gave when it acted.
    case answer(at: Duration)
    /// Another answer, whether the server acts or not: a balancer's, or that of a server in trouble.
    case instead(FarAnswer, at: Duration)
    case failure(TransferTrouble, at: Duration)
    /// Nothing at all: the caller's own time-outs apply, that for connecting if it is not connected.
    case silence(isConnected: Bool)
  }

  package init(actsAt: Duration?, _ outcome: Outcome) {
    self.actsAt = actsAt
    self.outcome = outcome
  }

  package var heardAt: Duration? {
    switch outcome {
    case .answer(let time), .instead(_, let time), .failure(_, let time): time
    case .silence: nil
    }
  }
}

/// An error of the transfer, as a value that can be kept.
package struct TransferTrouble: Codable, Hashable, Sendable {
  /// The raw value of its `TransferError.Kind`.
  package var kind: String
  /// True if the server may have acted on the request.
  package var requestMayHaveArrived: Bool

  package init(_ kind: TransferError.Kind, requestMayHaveArrived: Bool = false) {
    self.kind = kind.rawValue
    self.requestMayHaveArrived = requestMayHaveArrived
  }

  package func error(host: String) -> TransferError {
    TransferError(
      TransferError.Kind(rawValue: kind) ?? .other, "the simulation has it so for \(host): \(kind)",
      requestMayHaveArrived: requestMayHaveArrived)
  }
}
