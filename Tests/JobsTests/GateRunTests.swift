import ChildProcesses
import Jobs
import Testing

@testable import Models

/// Errors of a gateway at an open gate, in virtual time: it is held where holding serves, and only there.
@Suite(.aside) struct GateRunTests {
  /// A destination whose successes take 200 ms, and of which a share of requests fails.
  struct Course: Sendable, CustomTestStringConvertible {
    var share: Double
    /// The time that a failure takes: as a proxy answers for a dead server, as the server itself, as a time-out.
    var after: Double
    var inFlight: Int
    var jitter: Server.Jitter

    var testDescription: String {
      "\(Int(share * 100)) % fail after \(Int(after * 1000)) ms, \(inFlight) in flight, \(jitter)"
    }

    func run(for time: Double, share: Double? = nil, seed: UInt64 = 1) -> ServerSimulation.Outcome {
      let side = Server(
        latency: 0.2, jitter: jitter, local: 4000, failing: .apart(share ?? self.share, after: after), time: time)
      return ServerSimulation.run(side, fixed: inFlight, seed: seed)
    }
  }

  private static func courses(_ shares: [Double]) -> [Course] {
    shares.flatMap { share in
      [0.001, 0.01, 0.2, 2].flatMap { after in
        [1, 2, 8, 16, 64, 256, 512].flatMap { inFlight in
          [Server.Jitter.none, .exponential].map {
            Course(share: share, after: after, inFlight: inFlight, jitter: $0)
          }
        }
      }
    }
  }

  private static let many =
    courses([0.5]).filter { $0.inFlight >= 16 } + courses([0.8]).filter { $0.inFlight >= 256 }

  /// Up to a third of the requests may fail, with more in flight half of them, and with many four in five: holding would cost more than the
  /// failures do. Of fewer requests so many failures in a row are no rare chance.
  @Test(arguments: Seeds.share(courses([0.02, 0.1, 0.3]) + many, of: 3))
  func errorsAmongSuccessesHoldNothing(_ course: Course) {
    let requests = max(400, course.inFlight * 40)
    let each = (0.2 * (1 - course.share) + course.after * course.share) / Double(course.inFlight)
    let time = min(120, max(6, Double(requests) * each))
    let outcome = course.run(for: time)
    #expect(outcome.held == 0 && outcome.failures > 0, "\(outcome)")
  }

  /// When all fail, it is seen by the first answers: as many as are in flight, and a few more where some take longer than others.
  @Test(arguments: courses([1]))
  func outageIsSeenAtOnce(_ course: Course) throws {
    let outcome = course.run(for: 30)
    let closed = try #require(outcome.firstClosed, "\(outcome)")
    let most = max(Gate.Run.least, course.inFlight)
    #expect(outcome.failuresUntilClosed <= most, "\(outcome)")
    // One round of the answers in flight, as fast as this machine begins them.
    let rounds = (Double(Gate.Run.least) / Double(course.inFlight)).rounded(.up)
    #expect(closed <= course.after * rounds + Double(most) / 4000 + 0.01, "\(outcome)")
  }

  /// A job that waits for nothing in flight is not what a run waits for: a success that was begun before the trouble says nothing.
  @Test func earlierSuccessDoesNotHideOutage() {
    var gate = Gate()
    let start = Timestamp(seconds: 1000)
    for number in 1...Gate.Run.least {
      let began = start + .milliseconds(number)
      _ = gate.apply(.succeeded(JobNumber(rawValue: 100), began: start), now: began, steady: began)
      let peers = Gate.Peers(began: began, inFlight: 8)
      _ = gate.apply(
        .failed(JobNumber(rawValue: Int64(number)), Gate.Symptom(.gateway), peers), now: began, steady: began)
    }
    #expect(gate.closure?.reason == .gateway)
    // With the clock set back meanwhile, all begin before: then a success counts.
    gate = Gate()
    let peers = Gate.Peers(began: start + .seconds(3600))
    _ = gate.apply(.failed(JobNumber(rawValue: 1), Gate.Symptom(.gateway), peers), now: start, steady: start)
    _ = gate.apply(.succeeded(JobNumber(rawValue: 2), began: start), now: start, steady: start)
    #expect(gate.state == .open(Gate.Run(memory: Gate.Run.memory)))
  }
}
