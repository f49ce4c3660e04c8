import ControlAPI
import Jobs
import Synchronization
import Testing

@testable import CommandParts
@testable import waybill

/// The lines that stay below the events of `waybill log --follow`.
@Suite struct FollowScreenTests {
  private static let start = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  private static func status(_ transfers: Int, sent: Int64 = 0) -> StatusMessage {
    StatusMessage(
      version: "1", uptime: 1, activity: .init(upload: transfers, register: 0),
      counts: [.queued: 14, .awaitingConfirmation: 2],
      gates: [HoldMessage(destination: "storage.main", reason: "network", since: start)],
      transfers: (0..<transfers).map {
        StatusMessage.Transfer(
          job: Int64($0 + 1), spool: "documents", name: "发票\u{1B}[31m \($0).zip", size: 100 << 20, sent: sent,
          since: start)
      }, spools: [])
  }

  @Test func showsProgressRateAndTime() {
    let lines = FollowScreen.lines(Self.status(1, sent: 25 << 20), now: Self.start + .seconds(25), columns: 120)
    #expect(
      lines == [
        #"  1 发票\x1b[31m 0.zip: 25 % of 100 MiB, 1 MiB/s, 1min 15s left"#,
        "uploading 1, registering 0; jobs: 14 waiting, 2 need you",
      ])
  }

  @Test(arguments: [10, 20, 40, 79, 80, 200], [0, 1, 5, 9])
  func linesFitTerminal(columns: Int, transfers: Int) {
    let status = Self.status(transfers, sent: 100 << 20)
    let lines = FollowScreen.lines(status, now: Self.start, columns: columns)
    #expect(lines.count == min(transfers, 5) + (transfers > 5 ? 2 : 1))
    #expect(lines.allSatisfy { TextWidth.of($0) < columns && !$0.contains("\u{1B}") }, "\(lines)")
  }

  @Test func redrawsStatusAroundEachLine() async throws {
    let written = Mutex("")
    let screen = FollowScreen(columns: { 80 }, write: { text in written.withLock { $0 += text } })
    func next() -> String { written.withLock { exchange(&$0, with: "") } }
    try await screen.line("first")
    #expect(next() == "first\n", "nothing is known yet")
    try await screen.show(Self.status(1))
    #expect(next().split(separator: "\n").count == 2)
    try await screen.line("second")
    let text = next()
    #expect(text.hasPrefix("\u{1B}[2F\u{1B}[0Jsecond\n  1 "), "\(text)")
    try await screen.show(nil)
    #expect(next() == "\u{1B}[2F\u{1B}[0J")
    try await screen.line("last")
    #expect(next() == "last\n")
  }
}
