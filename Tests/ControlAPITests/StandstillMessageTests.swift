import ControlAPI
import Foundation
import MessageLiterals
import Messages
import Testing

@testable import Jobs

@Suite struct StandstillMessageTests {
  private static let now = Timestamp(seconds: 1_795_222_923)
  private static let at = now + .seconds(60)

  private static let job = MessageTests.job()

  private static func hold(_ reason: Gate.Reason, _ target: Pause.Target = .destination(.storage("main"))) -> Hold {
    Hold(target: target, reason: reason, since: now, until: at, by: Caller(uid: 1000, user: "alice"))
  }

  private static let all: [Standstill] =
    [
      .inFlight, .ready, .deferred(until: at), .gateClosed(hold(.unavailable), until: at),
      .probing(hold(.throttled), JobNumber(rawValue: 7)), .asking(hold(.question), JobNumber(rawValue: 7)),
      .paused(hold(.paused)), .paused(hold(.paused, .all)), .paused(hold(.paused, .recovered)),
      .paused(hold(.paused, .late("documents"))), .question, .cleanup(.inFlight), .cleanup(.deferred(until: at)),
      .cleanup(.gateClosed(hold(.network), until: at)), .unconfigured, .ledgerIsFull, .stopping, .slots,
      .rate(perSecond: 0.5, waiting: 3),
      .nothingEndsIt,
    ]

  private static func message(_ standstill: Standstill, _ job: Job = job) -> StandstillMessage {
    let hold = standstill.hold.map {
      HoldMessage(destination: $0.target.name, reason: $0.reason.rawValue, by: $0.by.map(CallerMessage.init))
    }
    return StandstillMessage(standstill, of: job, hold: hold, clockOffset: .seconds(3600))
  }

  @Test func everyReasonHasDistinctMessage() {
    let messages = Self.all.map { Self.message($0) }
    #expect(Set(messages.map(\.message)).count == messages.count)
    for (standstill, message) in zip(Self.all, messages) {
      #expect(message.reason == standstill.name)
      #expect((message.ends == .person) == (standstill.end == .person))
      if message.ends == .person { #expect(message.remedy?.text.hasPrefix("waybill ") == true, "\(message)") }
      #expect((message.until != nil) == (message.ends == .time), "\(message)")
      #expect((message.ends == .nothing) == (message.reason == "nothing"))
    }
  }

  @Test func timesFollowShownClock() {
    let message = Self.message(.deferred(until: Self.at))
    let shown = Self.at + .seconds(3600)
    #expect(message.until == shown && message.message.text == "it is tried again at \(shown.rfc3339)")
    #expect(message.remedy == nil, "a queued job is not retried")
  }

  @Test func messageNamesEndingCondition() {
    #expect(Self.message(.inFlight).message.text == "its upload is in flight, and goes on with the answer")
    let rated = Self.message(.rate(perSecond: 0.5, waiting: 3)).message.text
    #expect(rated.hasSuffix("storage.main has a rate of 0.5 requests a second, and 3 wait"))
    let refused = Self.message(.gateClosed(Self.hold(.credentials), until: Self.at))
    #expect(refused.message.text.hasSuffix(", or once there is another key"))
    #expect(Self.message(.paused(Self.hold(.paused))).message.text == "storage.main is paused by alice")
    #expect(Self.message(.paused(Self.hold(.paused))).remedy?.text == "waybill resume --storage main")
    #expect(Self.message(.paused(Self.hold(.paused, .recovered))).remedy?.text == "waybill resume --recovered")
    let asked = Self.message(.asking(Self.hold(.question), JobNumber(rawValue: 7)))
    #expect(asked.remedy?.text == "waybill confirm 7, or waybill cancel 7")
    #expect(Self.message(.question).remedy?.text == "waybill confirm 42, or waybill cancel 42")
  }

  @Test func messageNamesProbeBeforeJob() {
    let hold = HoldMessage(destination: "storage.main", reason: "unavailable", words: "a HEAD goes first\u{1B}")
    func sentence(_ standstill: Standstill) -> String {
      StandstillMessage(standstill, of: Self.job, hold: hold, clockOffset: .zero).message.text
    }
    let trouble = "storage.main is on hold: it answered 503 (service unavailable)"
    let way = "(a HEAD goes first\\x1b)"
    #expect(
      sentence(.gateClosed(Self.hold(.unavailable), until: Self.at))
        == "\(trouble); the next try is at \(Self.at.rfc3339) \(way)")
    #expect(
      sentence(.probing(Self.hold(.unavailable), JobNumber(rawValue: 7))) == "\(trouble); job 7 tries it now \(way)")
    let refused = HoldMessage(destination: "storage.main", reason: "credentials", words: "cannot read /key")
    #expect(refused.wayOfNextTry == nil)
  }

  @Test func messageRoundTripsWithEveryMember() throws {
    for standstill in Self.all {
      let message = Self.message(standstill)
      let bytes = message.json(texts: .coded)
      #expect(try StandstillMessage(bytes: bytes) == message)
      let members = try JSONReader.object(bytes).members.map(\.name)
      #expect(members == ["ends", "message", "reason", "remedy", "until"])
    }
  }
}
