import ChildProcesses
import Credentials
import Settings
import Testing

/// `client_cert`, `client_key` and `token = { oauth = … }`, with keys that openssl made.
@Suite(.slot) struct ClientCertificateTests {
  private let directory: TemporaryFolder

  init() async throws {
    directory = try TemporaryFolder()
    let script = """
      set -e; cd "$1"
      for name in a b; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem -subj /CN=$name
      done
      cat a.pem a.key > both.pem
      openssl pkcs8 -topk8 -in a.key -out locked.key -passout pass:open
      echo words > words; printf 'client-secret\\n' > secret
      """
    try await Command.require(["sh", "-c", script, "sh", directory.path])
  }

  private func problems(_ section: String, _ lines: String) throws -> [String] {
    try Sample.problems(Sample.smallest.replacing("[\(section)]\n", with: "[\(section)]\n\(lines)\n"), in: directory)
  }

  private func load(_ section: String, _ lines: String) throws -> Configuration {
    try Sample.load(Sample.smallest.replacing("[\(section)]\n", with: "[\(section)]\n\(lines)\n"), in: directory)
  }

  @Test(arguments: ["storage.main", "backend.main"]) func readsCertificateAndKeyFiles(_ section: String) throws {
    defer { directory.remove() }
    func file(_ name: String) -> CredentialSource { .file(directory.file(name)) }
    let rows: [(String, ClientCertificate)] = [
      (
        "client_cert = { file = \"KEYS/a.pem\" }\nclient_key = { file = \"KEYS/a.key\" }",
        .init(certificate: file("a.pem"), key: file("a.key"))
      ),
      ("client_cert = { file = \"KEYS/both.pem\" }", .init(certificate: file("both.pem"), key: file("both.pem"))),
    ]
    for (lines, expected) in rows {
      let read = try load(section, lines)
      let found =
        section.hasPrefix("storage")
        ? read.storages["main"]?.clientCertificate : read.backends["main"]?.clientCertificate
      #expect(found == expected)
    }
    let (one, other) = (try load(section, rows[0].0), try load(section, rows[1].0))
    #expect(one.changes(from: other).changed == [section])
    #expect(try load(section, "").storages["main"]?.clientCertificate == nil)
  }

  @Test(
    arguments: Broken.rows(
      #"""
      + client_key = { file = "KEYS/a.key" }
        client_key: belongs to client_cert, which is missing; add client_cert, or leave it out
      + client_cert = { file = "KEYS/gone.pem" }
        client_cert: cannot read KEYS/gone.pem: No such file or directory;
      + client_cert = { file = "KEYS/words" }
        client_cert: KEYS/words has no certificate in it (-----BEGIN CERTIFICATE-----)
      + client_cert = { file = "KEYS/a.pem" }
        client_cert: KEYS/a.pem has no private key in it
      + client_cert = { file = "KEYS/a.pem" }⏎client_key = { file = "KEYS/words" }
        client_key: KEYS/words has no private key in it
      + client_cert = { file = "KEYS/a.pem" }⏎client_key = { file = "KEYS/b.key" }
        client_key: KEYS/b.key does not have the key of the certificate in KEYS/a.pem
      + client_cert = { file = "KEYS/a.pem" }⏎client_key = { file = "KEYS/locked.key" }
        client_key: KEYS/locked.key has an encrypted key: decrypt it with openssl pkey
      + client_cert = "-----BEGIN CERTIFICATE-----"
        client_cert: is a string, but a secret must not be in the configuration; put it into a file
      + client_cert = { aws = "default" }
        client_cert.aws: cannot be used here
      """#)
  ) func reportsUnusableCertificates(_ row: Broken) throws {
    defer { directory.remove() }
    guard case .after(let lines) = row.change else { return }
    for section in ["storage.main", "backend.main"] {
      let problems = try problems(section, lines)
      #expect(problems.count == 1 && problems[0].contains("\(section).\(row.said[0])"), "\(problems)")
    }
  }

  @Test func readsOAuthTokenSettings() throws {
    defer { directory.remove() }
    let start = "token = { oauth = { url = \"https://login.example.com/t?x=1\", client_id = \"w\""
    let secret = CredentialSource.file(directory.file("secret"))
    let rows: [(String, OAuthClient)] = [
      (
        ", client_secret = { file = \"KEYS/secret\" } } }",
        .init(url: "https://login.example.com/t?x=1", clientID: "w", proof: .basic(secret))
      ),
      (
        ", client_secret = { file = \"KEYS/secret\" }, auth = \"post\", scope = \"a b\", audience = \"https://x\" } }",
        .init(
          url: "https://login.example.com/t?x=1", clientID: "w", proof: .post(secret), scope: "a b",
          audience: "https://x")
      ),
      (
        ", client_cert = { file = \"KEYS/both.pem\" } } }",
        .init(
          url: "https://login.example.com/t?x=1", clientID: "w", proof: .certificate,
          clientCertificate: .init(
            certificate: .file(directory.file("both.pem")), key: .file(directory.file("both.pem"))))
      ),
    ]
    for (end, client) in rows {
      let read = try load("backend.main", start + end)
      #expect(read.backends["main"]?.token == .oauth(client))
      #expect(!"\(CredentialSource.oauth(client))".contains("x=1"), "a query may hold a secret")
    }
    let (one, other) = (try load("backend.main", start + rows[0].0), try load("backend.main", start + rows[1].0))
    #expect(one.changes(from: other).changed == ["backend.main"])
  }

  /// `WHO` stands for an address and a name, `SECRET` for a secret in a file.
  @Test(arguments: [
    ("", "token.oauth.url: missing"),
    ("url = \"ftp://x\", client_id = \"w\", SECRET", "token.oauth.url: is not an http"),
    ("url = \"https://u:p@x/\", client_id = \"w\", SECRET", "token.oauth.url: has a user"),
    ("url = \"https://x\", client_id = \"\", SECRET", "token.oauth.client_id: is empty"),
    ("WHO", "token.oauth.client_secret: missing"),
    (
      "WHO, client_secret = \"hush-hush\"",
      "token.oauth.client_secret: is a string, but a secret must not be in the configuration"
    ),
    ("WHO, client_secret = { file = \"KEYS/gone\" }", "token.oauth.client_secret: cannot read KEYS/gone"),
    ("WHO, client_secret = { aws = \"default\" }", "token.oauth.client_secret.aws: cannot be used here"),
    (
      "WHO, client_cert = { file = \"KEYS/both.pem\" }, auth = \"post\"",
      "token.oauth.auth: belongs to client_secret, which is missing"
    ),
    ("WHO, client_cert = { file = \"KEYS/a.pem\" }", "token.oauth.client_cert: KEYS/a.pem has no"),
    ("WHO, SECRET, auth = \"digest\"", "token.oauth.auth: \"digest\" is not known"),
    ("WHO, SECRET, scop = \"a\"", "did you mean \"scope\"?"),
    ("WHO, SECRET, scope = \"\"", "token.oauth.scope: is empty"),
    ("WHO, SECRET, ca_file = \"/gone\"", "token.oauth.ca_file: cannot read /gone"),
  ]) func anOAuthClientThatCannotBeUsedIsTold(_ inner: String, _ said: String) throws {
    defer { directory.remove() }
    let client = inner.replacing("WHO", with: "url = \"https://x\", client_id = \"w\"")
      .replacing("SECRET", with: "client_secret = { file = \"KEYS/secret\" }")
    let problems = try problems("backend.main", "token = { oauth = { \(client) } }")
    #expect(problems.count == (inner.isEmpty ? 3 : 1) && problems.contains { $0.contains(said) }, "\(problems)")
    #expect(!problems.joined().contains("hush-hush"), "\(problems)")
  }

  @Test func onlyBackendsTakeOAuthTokens() throws {
    defer { directory.remove() }
    let oauth = "oauth = { url = \"https://x\", client_id = \"w\", client_secret = { file = \"KEYS/secret\" } }"
    for (section, line, said) in [
      ("storage.main", "session_token = { \(oauth) }", "session_token.oauth: cannot be used here"),
      ("backend.main", "signing_secret = { \(oauth) }", "signing_secret.oauth: cannot be used here"),
      ("backend.main", "token = { file = \"KEYS/secret\", \(oauth) }", "token: names several places"),
      ("backend.main", "token = { oauth = 7 }", "token.oauth: is"),
    ] {
      #expect(try problems(section, line).contains { $0.contains(said) }, "\(line)")
    }
  }
}
