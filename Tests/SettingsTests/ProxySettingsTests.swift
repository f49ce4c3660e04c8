import ChildProcesses
import Credentials
import HTTPTransfer
import Settings
import Testing

/// `proxy` of a storage and of a backend.
@Suite struct ProxySettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private static let sections = ["storage.main", "backend.main"]

  private func text(_ section: String, _ lines: String) -> String {
    Sample.smallest.replacing("[\(section)]\n", with: "[\(section)]\n\(lines)\n")
  }

  @Test(
    arguments: sections,
    [
      ("none", Proxy.direct), ("http://proxy.example.com:3128", .http("http://proxy.example.com:3128")),
      ("http://user:p%40ss@[fd00::1]:3128/", .http("http://user:p%40ss@[fd00::1]:3128/")),
    ]) func readsProxy(_ section: String, _ row: (String, Proxy)) throws
  {
    let read = try Sample.load(text(section, "proxy = \"\(row.0)\""), in: directory)
    let isStorage = section.hasPrefix("storage")
    #expect(read.storages["main"]?.proxy == (isStorage ? row.1 : nil))
    #expect(read.backends["main"]?.proxy == (isStorage ? nil : row.1))
    #expect(read.changes(from: try Sample.load(Sample.smallest, in: directory)).changed == [section])
    var shown = ""
    dump(read, to: &shown)
    #expect(!shown.contains("p%40ss"))
  }

  @Test(
    arguments: sections,
    [
      ("\"\"", "is empty"), ("7", "is the integer 7 where a string belongs"),
      ("[\"http://user:hush@x:1\"]", "is an array where a string belongs"),
      ("\"None\"", "is not an http or https URL"), ("\"proxy.example.com:3128\"", "is not an http or https URL"),
      ("\"user:hush@proxy.example.com:3128\"", "is not an http or https URL"),
      ("\"https://proxy.example.com:3128\"", "is not an http URL"), ("\"socks5://user:hush@x:1\"", "is not an http"),
      ("\"http://proxy.example.com\"", "has no port"), ("\"http://proxy.example.com:0\"", "has no valid port"),
      ("\"http://user:hush@\"", "has no valid host"),
      ("\"http://user:hush/@x:1\"", "has a character in its user or password"),
      ("\"http://us er:hush@x:1\"", "has a character in its user or password"),
      ("\"http://x:1/hush\"", "has more than a host and a port"),
      ("\"http://x:1?hush\"", "has more than a host and a port"), ("\"http://x:1\\u0000\"", "has a control character"),
    ]) func reportsInvalidProxyAtItsLine(_ section: String, _ row: (String, String)) throws
  {
    let problems = try Sample.problems(text(section, "proxy = \(row.0)"), in: directory)
    let line = section.hasPrefix("storage") ? 2 : 7
    #expect(problems.count == 1 && problems[0].contains("F:\(line): \(section).proxy: \(row.1)"), "\(problems)")
    #expect(!problems.joined().contains("hush"), "\(problems)")
  }

  @Test func credentialsUseProxyOfDestination() throws {
    let oauth =
      "token = { oauth = { url = \"https://x\", client_id = \"w\", client_secret = { file = \"KEYS/secret\" } } }"
    let way = "proxy = \"http://user:hush@proxy:1\""
    let configuration = try Sample.load(
      text("backend.main", oauth + "\n" + way)
        .replacing("access_key = { file = \"KEYS/access\" }", with: "access_key = { aws = \"default\" }\n" + way)
        .replacing("secret_key = { file = \"KEYS/secret\" }\n", with: ""),
      in: directory, environment: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"])
    let proxy = Proxy.http("http://user:hush@proxy:1")
    guard case .oauth(let client)? = configuration.backends["main"]?.token else { throw Missing("a token") }
    #expect(client.proxy == proxy)
    #expect(configuration.storages["main"]?.accessKey == .aws("default", proxy: proxy))
    #expect("\(CredentialSource.oauth(client))" == "OAuth 2 token of w from https://x (proxy: http://[secret]@proxy:1)")
    #expect("\(CredentialSource.aws("default", proxy: .direct))" == "AWS credential chain (proxy: none)")
  }

  @Test func variableSetsProxy() throws {
    let read = try Sample.load(
      Sample.smallest, in: directory, environment: ["WAYBILL_BACKEND_MAIN_PROXY": "http://proxy:3128"])
    #expect(read.backends["main"]?.proxy == .http("http://proxy:3128"))
  }
}
