import ChildProcesses
import Settings
import Testing

@Suite struct ListenAddressTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1", 9464), ("[::1]:1", "::1", 1), ("localhost:65535", "localhost", 65535),
  ])
  func parsesAddressAndPort(text: String, host: String, port: Int) throws {
    let daemon = try Sample.load("daemon.metrics = \"\(text)\"\n" + Sample.smallest, in: directory).daemon
    let address = try #require(daemon.metrics)
    #expect(address.host == host && address.port == port && address.description == text)
  }

  @Test(arguments: [
    "9464", ":9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:9464", "a b:1", "h:1/x", "h:1?",
  ])
  func refusesInvalidAddressWithExample(text: String) throws {
    try Broken(
      .after("[daemon]\nmetrics = \"\(text)\""),
      "F:11: daemon.metrics: \"\(text)\" is not an address to listen on; write it like \"127.0.0.1:9464\" or \"[::1]:9464\""
    ).check(in: directory)
  }
}
