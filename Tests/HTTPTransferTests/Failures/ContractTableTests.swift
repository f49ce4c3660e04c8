import ChildProcesses
import HTTPTransfer
import Jobs
import MessageLiterals
import Testing

/// "What a failure leads to", row by row: from what came off the wire to the verdict on the job and the word to the gate.
///
/// What S3's codes and the file add to it is tested where S3 is spoken (`RefusalTests`) and where files are read.
@Suite struct ContractTableTests {
  /// What came.
  enum Met: Sendable {
    case backend(Int, retryAfter: Int?)
    case storage(Int, retryAfter: Int?)
    case transfer(TransferError.Kind)

    static func backend(_ status: Int) -> Met { .backend(status, retryAfter: nil) }
    static func storage(_ status: Int) -> Met { .storage(status, retryAfter: nil) }

    var failure: Failure {
      switch self {
      case .backend(let status, let asked): Self.failure(.backend, status, asked)
      case .storage(let status, let asked): Self.failure(.storage, status, asked)
      case .transfer(let kind):
        FailureAdapters.standard.failure(for: TransferError(kind, "words", code: Self.codes[kind] ?? 7))
      }
    }

    /// libcurl's code where the gate looks at it (CURLE_RECV_ERROR, CURLE_UNSUPPORTED_PROTOCOL).
    private static let codes: [TransferError.Kind: Int32] = [.connectionLost: 56, .badResponse: 1]

    private static func failure(_ server: StatusError.Server, _ status: Int, _ asked: Int?) -> Failure {
      StatusError(server: server, status: status, retryAfter: asked.map { .seconds($0) }).failure
    }
  }

  private static let first = Verdict.retry(after: .seconds(2))

  /// The row of the contract, what came, the verdict at the first try, and what the gate makes of it.
  private static let table: [(row: String, met: [Met], verdict: Verdict, symptom: Gate.Symptom.Kind)] = [
    ("503, in either step", [.backend(503), .storage(503), .backend(503, retryAfter: 9)], .abort, .unavailable),
    ("401", [.backend(401), .storage(401)], .awaitCredentials, .credentials),
    (
      "no way", [.resolve, .connect, .connectTimeout, .tlsHandshake, .proxy].map { .transfer($0) }, .awaitNetwork,
      .network
    ),
    ("429", [.backend(429), .storage(429)], .wait(after: .seconds(30)), .throttled),
    ("429 with Retry-After", [.backend(429, retryAfter: 7)], .wait(after: .seconds(7)), .throttled),
    (
      "500, 502, 504, 507, 520 to 530", [500, 502, 504, 507, 520, 522, 530].flatMap { [.backend($0), .storage($0)] },
      first,
      .gateway
    ),
    ("511", [.backend(511), .storage(511)], .awaitNetwork, .network),
    ("time-outs", [.transfer(.stalled), .transfer(.timeout)], first, .gateway),
    ("other 5xx, 408, 425", [408, 425, 506, 508, 599].flatMap { [.backend($0), .storage($0)] }, first, .transient),
    ("Retry-After where it is longer", [.backend(500, retryAfter: 60)], .retry(after: .seconds(60)), .gateway),
    ("a lost connection", [.transfer(.connectionLost), .transfer(.badResponse)], first, .gateway),
    ("a 2xx that cannot be understood", [.backend(200), .storage(204)], first, .transient),
    (
      "a fault of the destination",
      [300, 301, 302, 303, 307, 308, 407, 421, 501, 505].flatMap { [.backend($0), .storage($0)] } + [.storage(402)],
      .ask, .doubtful
    ),
    (
      "the certificate, the version of TLS, no TLS",
      [.transfer(.tlsCertificate), .transfer(.tlsVersion), .transfer(.tlsPlain)], .ask, .destination
    ),
    ("backend 404 or 405", [.backend(404), .backend(405)], .ask, .doubtful),
    ("409 from the backend", [.backend(409)], .ask, .answered),
    ("409 with Retry-After", [.backend(409, retryAfter: 5)], .retry(after: .seconds(5)), .answered),
    (
      "any other 4xx",
      [400, 403, 406, 410, 413, 415, 422, 451].flatMap { [.backend($0), .storage($0)] } + [.backend(402)], .ask,
      .answered
    ),
    ("the file cannot be read", [.transfer(.readFailed)], .ask, .local),
  ]

  private static func verdict(on failure: Failure, spent: Int = 0, _ policy: RetryPolicy) -> Verdict {
    var random: any RandomNumberGenerator = Seeds.numbers()
    return Verdict.on(
      failure, schedule: RetrySchedule(spent: spent), policy: policy, settle: .zero, random: &random)
  }

  @Test(arguments: table.indices)
  func everyRowFollowsContract(_ index: Int) {
    let (row, met, expected, symptom) = Self.table[index]
    let policy = RetryPolicy(delays: [.seconds(2)], jitter: 0)
    for one in met {
      let failure = one.failure
      let verdict = Self.verdict(on: failure, policy)
      #expect(verdict == expected, "\(row): \(one)")
      #expect(Gate.Symptom(of: failure, verdict).kind == symptom, "\(row): \(one)")
      guard case .retry = expected else { continue }
      #expect(Self.verdict(on: failure, spent: 1, policy) == .ask, "\(row), when the delays are spent: \(one)")
    }
  }

  @Test func configuredRetryTreats503Like502() {
    let policy = RetryPolicy(delays: [.seconds(2)], jitter: 0, unavailable: .retry)
    for met in [Met.backend(503), .storage(503)] {
      let verdict = Self.verdict(on: met.failure, policy)
      #expect(verdict == Self.first)
      #expect(Gate.Symptom(of: met.failure, verdict).kind == .gateway)
    }
  }

  @Test func destinationSetsRetryDelays() {
    let failure = Met.backend(500).failure
    for delays in [[1, 3], [60, 600]] {
      let policy = RetryPolicy(delays: delays.map { .seconds($0) }, jitter: 0)
      let verdicts = delays.indices.map { Self.verdict(on: failure, spent: $0, policy) }
      #expect(verdicts == delays.map { .retry(after: .seconds($0)) })
    }
  }
}
