import ControlAPI
import Jobs
import Messages
import Testing

struct ProblemMessageTests {
  private static let since = Timestamp(seconds: 1)

  @Test func problemsLoseTheirCodeWithoutNames() {
    let problem = ProblemMessage(
      what: .polledInstead(why: .spoolDisappeared(path: "/secret"), time: .seconds(1)), since: Self.since,
      remedy: .seeJournald
    )
    #expect(problem.withoutNames == ProblemMessage(what: .problemOnHost, since: Self.since, remedy: .text("")))
  }
}
