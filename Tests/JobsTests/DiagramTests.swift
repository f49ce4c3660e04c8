import ChildProcesses
import Foundation
import Jobs
import MessageLiterals
import Testing

private struct Arrow: Hashable, CustomStringConvertible {
  let from: String
  let to: String
  var description: String { "\(from) --> \(to)" }
}

/// The state diagrams of ARCHITECTURE.md against what the code does: neither has an arrow that the other lacks.
@Suite struct DiagramTests {
  /// The arrows of the diagram under a heading, those from and to the outside left out.
  private static func diagram(under heading: String) throws -> Set<Arrow> {
    let page = try String(contentsOfFile: Products.source("ARCHITECTURE.md"), encoding: .utf8)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != heading }
    let block = lines.drop { $0 != "```mermaid" }.dropFirst().prefix { $0 != "```" }
    var arrows: Set<Arrow> = []
    for line in block {
      guard let match = line.wholeMatch(of: /\s*(\w+) --> (\w+)(:.*)?/) else { continue }
      arrows.insert(Arrow(from: String(match.1), to: String(match.2)))
    }
    try #require(!arrows.isEmpty, "no diagram under \(heading)")
    return arrows
  }

  private static let failure = Failure(.transient, "HTTP 500")

  private static func inputs(_ job: Job) -> [JobInput] {
    let verdicts: [Verdict] = [
      .abort, .retry(after: .seconds(1)), .wait(after: .seconds(1)), .ask, .requeue, .awaitCredentials, .awaitNetwork,
    ]
    let results: [AttemptResult] =
      [.uploaded(.sample), .registered(.sample), .recognized(.sample), .cut, .unanswered(Gate.Symptom(.unavailable))]
      + verdicts.flatMap { [.failed(failure, $0), .changed(failure, $0, now: job.identity)] }
    let commands: [JobCommand] = [.confirm(), .retry, .cancel(), .discard, .release(to: "/tmp")]
    return results.map { .finished(attempt: job.attempt, $0) } + commands.map { .command($0, by: .alice) } + [
      .command(.confirm(link: StoredLink.sample.link), by: .alice, link: .sample), .begin, .due, .mustAsk(failure),
      .disposed, .released, .releaseFailed,
    ]
  }

  @Test func jobDiagramMatchesCode() throws {
    var seen: Set<Arrow> = []
    for state in JobState.allCases {
      for step in Step.allCases {
        var befores = [try Job.sample(in: state, step: step)]
        var releasing = befores[0]
        do throws(Refusal) {
          try releasing.take(.command(.release(to: "/tmp"), by: .alice))
          befores.append(releasing)
        } catch {
          // Only a stopped job can be released.
        }
        for before in befores {
          for input in Self.inputs(before) {
            // What each step's success leads to is the other step's business.
            if case .finished(_, .uploaded) = input, before.step == .register { continue }
            if case .finished(_, .registered) = input, before.step == .upload { continue }
            var after = before
            do throws(Refusal) { try after.take(input) } catch { continue }
            guard after.state != before.state else { continue }
            seen.insert(Arrow(from: "\(before.state)", to: "\(after.state)"))
          }
        }
      }
    }
    let drawn = try Self.diagram(under: "### A job")
    #expect(drawn.subtracting(seen).map(\.description).sorted() == [], "drawn, but not so")
    #expect(seen.subtracting(drawn).map(\.description).sorted() == [], "so, but not drawn")
  }

  private static let steady = Timestamp(seconds: 1000)
  private static let (first, second) = (JobNumber(rawValue: 1), JobNumber(rawValue: 2))

  private static var gates: [Gate] {
    let runs = [0, 1, Gate.Run.least - 1].flatMap { count in
      [Gate.Symptom(.gateway), refusal].map { symptom in
        var gate = Gate()
        for job in 0..<count {
          let event = Gate.Event.failed(JobNumber(rawValue: Int64(10 + job)), symptom)
          _ = gate.apply(event, now: .start, steady: steady)
        }
        return gate
      }
    }
    let doubtful = Gate.Event.failed(first, Gate.Symptom(.doubtful), Gate.Peers(began: .start))
    var doubt = Gate()
    _ = doubt.apply(doubtful, now: .start, steady: steady)
    return runs + [doubt]
      + Gate.Reason.allCases.filter { $0 != .paused }.flatMap { reason in
        let closure = Gate.Closure(reason: reason, since: .start)
        let asked = Gate.Closure(reason: reason, since: .start, asker: second)
        return [
          Gate(.closed(closure, until: steady)), Gate(.closed(closure, until: steady + .seconds(60))),
          Gate(.halfOpen(closure, probe: nil)), Gate(.halfOpen(closure, probe: first)),
          Gate(.probing(closure, first)),
        ]
          + (reason == .question
            ? [
              Gate(.asking(closure, first, until: steady)), Gate(.halfOpen(asked, probe: nil)),
              Gate(.probing(asked, first)),
            ] : [])
      }
  }

  private static let refusal = Gate.Symptom(of: Failure(.rejected, "400", status: 400), .ask)

  private static var events: [Gate.Event] {
    let symptoms = Gate.Symptom.Kind.allCases.flatMap { kind in
      [nil, .seconds(600)].map { (retryAfter: Duration?) in Gate.Symptom(kind, retryAfter: retryAfter) }
    }
    return [first, second].flatMap { job -> [Gate.Event] in
      [.began(job), .succeeded(job, began: .start), .cut(job), .wanted(job), .left(job), .failed(job, refusal)]
        + symptoms.map { .failed(job, $0) }
    } + [
      .timePassed, .probeWanted, .keyChanged(inFlight: []), .keyChanged(inFlight: [first]),
      .networkChanged(inFlight: []), .networkChanged(inFlight: [first]),
    ]
  }

  private static func name(_ gate: Gate) -> String {
    switch gate.state {
    case .open: "open"
    case .closed: "closed"
    case .asking: "asking"
    case .halfOpen: "halfOpen"
    case .probing: "probing"
    }
  }

  @Test func gateDiagramMatchesCode() throws {
    var seen: Set<Arrow> = []
    var known: Set<Gate> = []
    var next = Self.gates
    // Two events from every kind of state: what the first leaves behind (a wish, a key that changed) counts in the second.
    for _ in 0..<2 {
      let befores = next.filter { known.insert($0).inserted }
      next = []
      for before in befores {
        for event in Self.events {
          var after = before
          _ = after.apply(event, now: .start, steady: Self.steady)
          if after.state != before.state { seen.insert(Arrow(from: Self.name(before), to: Self.name(after))) }
          next.append(after)
        }
      }
    }
    let drawn = try Self.diagram(under: "### A gate")
    #expect(drawn.subtracting(seen).map(\.description).sorted() == [], "drawn, but not so")
    #expect(seen.subtracting(drawn).map(\.description).sorted() == [], "so, but not drawn")
  }
}
