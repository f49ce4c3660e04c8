import ChildProcesses
import Settings
import Testing

@Suite struct NotYetTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    Broken(
      .after("[daemon]\nmetrics = \"127.0.0.1:9464\""),
      #"F:11: daemon.metrics: not available yet in this version: only """#)
  ])
  func `what comes later is refused with a plain word`(broken: Broken) throws { try broken.check(in: directory) }

  @Test func `the same value in other words is not refused`() throws {
    #expect(
      try Sample.load("daemon.metrics = \"\"\n" + Sample.smallest, in: directory)
        == Sample.load(Sample.smallest, in: directory))
  }
}
