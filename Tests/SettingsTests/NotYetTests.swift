import ChildProcesses
import Settings
import Testing

@Suite struct NotYetTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    Broken(
      .after("[daemon]\nbandwidth = \"20MiB\""),
      #"F:11: daemon.bandwidth: not available yet in this version: only "0""#),
    Broken(
      .after("[daemon]\nmetrics = \"127.0.0.1:9464\""),
      #"F:11: daemon.metrics: not available yet in this version: only """#),
    Broken(
      .line(3, "bucket = \"documents\"\naddressing = \"virtual\""),
      #"F:4: storage.main.addressing: not available yet in this version: only "path""#),
    Broken(
      .line(3, "bucket = \"documents\"\nsession_token = { file = \"/none\" }"),
      "F:4: storage.main.session_token: not available yet in this version: leave it out"),
    Broken(
      .line(4, "access_key = { aws_profile = \"default\" }"),
      #"F:4: storage.main.access_key.aws_profile: not available yet in this version: only one of { file = "/path" }, { credential = "NAME" } or { env = "NAME" }"#
    ),
  ])
  func `what comes later is refused with a plain word`(broken: Broken) throws { try broken.check(in: directory) }

  @Test func `the same value in other words is not refused`() throws {
    #expect(
      try Sample.load("daemon.bandwidth = \"0B\"\n" + Sample.smallest, in: directory)
        == Sample.load(Sample.smallest, in: directory))
  }
}
