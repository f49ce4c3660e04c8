import ControlAPI
import Jobs
import Messages
import Testing

struct ProblemMessageTests {
  private static let since = Timestamp(seconds: 1)

  /// A host that sends no names still says that it is a spool that is silent, and not itself that does not work.
  @Test(arguments: [
    Message.nothingHasCome(spool: "secret", time: .seconds(60), every: .seconds(30)),
    .nothingWasTaken(spool: "secret", time: .seconds(60), count: 3, every: .seconds(30)),
  ])
  func silenceStaysSilenceWithoutNames(what: Message) throws {
    let bare = ProblemMessage(what: what, since: Self.since, remedy: .seeTheSender).withoutNames
    let bytes = bare.json(texts: .coded)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    let read = try ProblemMessage(bytes: bytes)
    #expect(read == bare && read.isSilence && read.since == Self.since)
    #expect(read.what.code == what.code && read.what.text.contains("spool …"), "\(read)")
  }

  @Test func otherProblemsLoseTheirCode() {
    let problem = ProblemMessage(
      what: .polledInstead(why: .spoolDisappeared(path: "/secret"), time: .seconds(1)), since: Self.since,
      remedy: .seeTheSender
    )
    #expect(problem.withoutNames == ProblemMessage(what: .problemOnHost, since: Self.since, remedy: .text("")))
    #expect(!problem.withoutNames.isSilence)
  }
}
