import ChildProcesses
import ControlAPI
import Foundation
import Glibc
import HTTPTransfer
import Jobs
import LoopbackPeer
import Messages
import Testing

@testable import Harness

/// The daemon's messages on the page in Chinese. Each is made by the code that makes it in the daemon.
@Suite(.slot, .needs(.browser))
struct OperatorPageSentencesTests {
  private static let time = Timestamp(year: 2026, month: 11, day: 21)
  private static let alice = Caller(uid: 1000, user: "ALICE")

  private static func job(_ state: JobState, _ failure: Failure?) -> Job {
    let ticket = Ticket(
      id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), spool: "DOCUMENTS", name: FileName("A.PDF"),
      storage: "MAIN", backend: "MAIN", bucket: "B", key: "K", contentType: "application/pdf", metadata: [:],
      priority: 0, createdAt: time)
    var job = Job(
      number: JobNumber(rawValue: 42), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5))
    job.state = state
    job.failure = failure
    return job
  }

  /// The reasons for a failure that are the daemon's own words, and hold none of the system's or of a server's: of answers and
  /// of transfers that come to nothing.
  private static func reasons() async throws -> [Message] {
    var answers = [StatusError(server: .storage, status: 302)]
    for server in [StatusError.Server.storage, .backend] {
      var page = StatusError(server: server, status: 200)
      page.isPage = true
      var certificate = StatusError(server: server, status: 496)
      certificate.refusesCertificate = true
      answers += [page, certificate]
    }
    let silent = try LoopbackPeer { _ in .hold }
    let transfers = [
      HTTPRequest(method: "GET", url: "http://X.INVALID/"),
      HTTPRequest(method: "GET", url: silent.url, stallTimeout: .milliseconds(100)),
      HTTPRequest(method: "GET", url: silent.url, totalTimeout: .milliseconds(100)),
    ]
    var reasons = answers.map(\.reason)
    for transfer in transfers { reasons.append(try #require(await trouble(transfer)).message) }
    return reasons
  }

  /// Reasons with words of libcurl's or the system's in them, which stay as they are.
  private static func reasonsOfOthers() async throws -> [Message] {
    let away = try LoopbackPeer(isListening: false) { _ in .cut }
    let cutting = try LoopbackPeer { _ in .cut }
    let strange = try LoopbackPeer { _ in .raw(Array("what?\r\n".utf8), .close) }
    var reasons: [Message] = []
    for peer in [away, cutting, strange] {
      let request = HTTPRequest(method: "POST", url: peer.url, mayBeRepeated: false)
      reasons.append(try #require(await trouble(request)).message)
    }
    reasons.append(StatusError(server: .storage, status: 301, location: "https://elsewhere.example/").reason)
    return reasons
  }

  private static func trouble(_ request: HTTPRequest) async -> TransferError? {
    do throws(TransferError) {
      _ = try await Transport().send(request)
      return nil
    } catch {
      return error
    }
  }

  /// Sentences about jobs and gates, with each of these reasons.
  private static func sentences(_ reasons: [Message]) -> [Message] {
    var all: [Message] = []
    for reason in reasons {
      let failure = Failure(.transient, reason)
      for step in Step.allCases {
        for (kind, states) in [
          (JobEvent.Kind.deferred, [JobState.deferred, .awaitingCredentials, .awaitingNetwork]),
          (.question, [.awaitingConfirmation]), (.aborted, [.aborted]),
        ] {
          for state in states {
            var job = job(state, failure)
            if kind == .question {
              job.question = Question(Sentences.question(step, job.ticket.name, reason: reason), askedAt: time)
            }
            all.append(JobEvent(at: time, kind: kind, step: step, job: job).said)
          }
        }
      }
    }
    for kind in JobEvent.Kind.allCases where ![.deferred, .question, .aborted].contains(kind) {
      for step in Step.allCases {
        all.append(JobEvent(at: time, kind: kind, step: step, job: job(.queued, nil), by: alice).said)
      }
    }
    all += Gate.Reason.allCases.map { .onHold(destination: "STORAGE.MAIN", why: $0.message) }
    all += standstills
    return all + [
      .inUseAgain(destination: "STORAGE.MAIN"), Sentences.recovered(1), Sentences.recovered(5),
      Sentences.objectLeft(FileName("A.PDF"), at: .storage("MAIN"), reason: reasons[0]),
    ]
  }

  /// Why a job does not move.
  private static var standstills: [Message] {
    let holds = Gate.Reason.allCases.filter { $0 != .question && $0 != .paused }.map {
      Hold(.storage("MAIN"), reason: $0, since: time)
    }
    let targets: [Pause.Target] = [.all, .recovered, .late("DOCUMENTS"), .spool("DOCUMENTS")]
    let pauses = targets.map { Hold($0, reason: .paused, since: time, by: $0.isOfPeople ? alice : nil) }
    let gates = holds.flatMap { hold -> [Standstill] in
      [.gateClosed(hold, until: time), .probing(hold, JobNumber(rawValue: 7)), .asking(hold, JobNumber(rawValue: 7))]
    }
    let others: [Standstill] = [
      .late(pauses[2]), .inFlight, .ready, .deferred(until: time), .unconfigured, .ledgerIsFull, .stopping,
    ]
    let all =
      gates + pauses.map(Standstill.paused) + SlotShortage.allCases.map(Standstill.slots)
      + Standstill.Lack.allCases.map(Standstill.nothingEndsIt) + others
    let met = StatusError(server: .storage, status: 503).reason
    let looks: [Message] = [.headFirst, .getFirst(url: "HTTPS://X")].flatMap { [$0, .lastMet(way: $0, why: met)] }
    let looked = looks.flatMap { words in
      gates.filter { $0.hold?.reason == .unavailable || $0.hold?.reason == .network }.map { standstill in
        let hold = HoldMessage(
          destination: "STORAGE.MAIN", reason: standstill.hold?.reason.rawValue ?? "", words: words)
        return StandstillMessage(standstill, of: job(.queued, nil), hold: hold, clockOffset: .zero).said
      }
    }
    return looked
      + (all + all.map(Standstill.cleanup)).flatMap { standstill in
        [JobState.queued, .awaitingCredentials, .awaitingNetwork].map { state in
          let hold = standstill.hold.map {
            HoldMessage(destination: $0.target.name, reason: $0.reason.rawValue, by: $0.by.map(CallerMessage.init))
          }
          return StandstillMessage(standstill, of: job(state, nil), hold: hold, clockOffset: .zero).said
        }
      }
  }

  @Test func everySentenceHasChinese() async throws {
    try await withRig { rig in
      try await rig.withPage { browser, _ in
        try await browser.value("language = 'zh'")
        let own = Set(Self.sentences(try await Self.reasons()))
        for message in own.union(try await Self.reasonsOfOthers()).sorted(by: { $0.text < $1.text }) {
          let sentence = message.text
          let words = JSONValue.string(sentence).description
          let said = try #require(try await browser.value("said(\(words), \(message.json))").string)
          #expect(said.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(sentence)")
          guard own.contains(message) else { continue }
          // Names are in capitals here; commands to type, key names and HTTP's own words stay as they are.
          let kept = [
            "waybill resume --recovered", "waybill list", "storage.MAIN", "spool.DOCUMENTS", "client_cert",
            "LimitNOFILE", "Found",
            "Location", "Service Unavailable", "Waybill",
          ]
          let rest = kept.reduce(said) { $0.replacing($1, with: "") }
          #expect(!rest.contains(/[a-z]{3,}/), "\(sentence): \(said)")
        }
      }
    }
  }

  private func reasons(_ file: String, _ rig: Rig) async throws -> [JSONValue] {
    let command = try await rig.daemon.waybill("explain", "--json", file)
    return try JSONValue(parsing: command.output).files.array.flatMap(\.reasons.array)
  }

  /// Everything that `explain` says of the files of its own tests.
  @Test(arguments: [false, true]) func fileExplanationsHaveChinese(isRecursive: Bool) async throws {
    try await withRig({ setup in
      (setup.settle, setup.settleUnseen, setup.settleEmpty) = ("10min", "10min", "20min")
      if isRecursive { setup.spoolLines = ["recursive = true"] }
    }) { rig in
      let cases = UntakenFile.all.filter { $0.isRecursive == isRecursive }
      var told: [JSONValue] = []
      for one in cases {
        // Some make a directory that is there already.
        try await Command.require(["sh", "-c", one.script + "; true", "_", rig.setup.spool.path])
        told += try await reasons(rig.setup.spool.path + "/" + one.name, rig)
      }
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      let names = ["nowhere.pdf", "/etc/hostname", rig.setup.spool.path + "/" + cases[0].name]
      for name in names { told += try await reasons(name, rig) }
      try await rig.withPage { browser, _ in
        try await browser.value("language = 'zh'")
        for reason in told {
          for (member, sentence) in [("detail", reason.detail.string), ("remedy", reason.remedy.string)] {
            guard let sentence, !sentence.isEmpty, !sentence.hasPrefix("waybill ") else { continue }
            let said = try #require(try await browser.value("saidOf(\(reason.description), '\(member)')").string)
            #expect(said.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(sentence)")
          }
        }
      }
    }
  }
}
