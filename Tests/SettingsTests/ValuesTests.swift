import ChildProcesses
import Credentials
import Jobs
import Settings
import Testing

@Suite struct ValuesTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func readsNonDefaultValues() throws {
    let text = """
      daemon.concurrency = 8
      daemon.journal = "debug"
      [retry]
      delays = ["1s", "1h 30min"]
      unavailable = "retry"
      \(Sample.storage)
      region = "x"
      addressing = "virtual"
      session_token = { env = "TOKEN" }
      overwrite = true
      checksum = "crc64nvme"
      part_size = "5MiB"
      ca_file = "KEYS/access"
      rate = 0.5
      headers = { "x-amz-storage-class" = "STANDARD_IA" }
      retry = { delays = ["2s"] }
      \(Sample.backend)
      method = "PUT"
      conflict = "registered"
      rate = 50
      health = "https://api.example.com/health?deep=1"
      success = { status = [200, 201], json = "result.ok" }
      token = { env = "TOKEN" }
      [backend.main.headers]
      X-Source = "scanner-3"
      [backend.main.retry]
      delays = ["1h"]
      \(Sample.spool)
      name = "scans"
      key = "{stem}.{ext}"
      link = "https://cdn.example.com/{bucket}/{key}"
      ignore = []
      scan_interval = "2s"
      priority = -5
      max_size = "2GiB"
      duplicates = "skip"
      after = "archive"
      archive = "/srv/archive/"
      """
    let configuration = try Sample.load(text, in: directory, environment: ["TOKEN": "t"])
    #expect(configuration.daemon.concurrency == .fixed(8))
    #expect(configuration.daemon.journal == .debug)
    #expect(
      configuration.retry
        == RetryPolicy(delays: [.seconds(1), .seconds(5400)], unavailable: .retry))
    let storage = try #require(configuration.storages["main"])
    #expect(storage.region == "x")
    #expect(storage.addressing == .virtual)
    #expect(storage.sessionToken == .environment("TOKEN"))
    #expect(storage.overwrite)
    #expect(storage.checksum == .crc64nvme)
    #expect(!storage.digest)
    #expect(storage.partSize == 5 << 20)
    #expect(storage.multipartThreshold == 10 << 20 && storage.maxParts == 10_000)
    #expect(storage.caFile == "\(directory.path)/access")
    #expect(storage.headers == ["x-amz-storage-class": "STANDARD_IA"])
    #expect(storage.retry == RetryPolicy(delays: [.seconds(2)], unavailable: .retry))
    let backend = try #require(configuration.backends["main"])
    #expect(backend.method == .put)
    #expect(backend.conflict == .registered)
    #expect(backend.health == "https://api.example.com/health?deep=1")
    #expect(backend.success.statuses == [200, 201])
    #expect(backend.success.members == [.init(["result", "ok"])])
    #expect(backend.token == .environment("TOKEN"))
    #expect(backend.headers == ["X-Source": .text("scanner-3")])
    #expect(backend.retry == RetryPolicy(delays: [.seconds(3600)], unavailable: .retry))
    #expect(configuration.rates == ["storage.main": 0.5, "backend.main": 50])
    let spool = try #require(configuration.spools.first)
    #expect(spool.name == "scans")
    #expect(spool.key == "{stem}.{ext}")
    #expect(spool.link == "https://cdn.example.com/{bucket}/{key}")
    #expect(spool.ignore.isEmpty)
    #expect(spool.scanInterval == .seconds(2) && spool.poll == .seconds(2) && spool.rescan == .seconds(2))
    #expect(spool.look == .seconds(2) && spool.watch == .auto)
    #expect(spool.priority == -5 && spool.maxSize == 2 << 30 && spool.duplicates == .skip)
    #expect(spool.after == .archive("/srv/archive"))
  }

  /// The SHA-256 of the whole file is computed for the storages whose files a backend wants it of.
  @Test func fieldWithDigestHasItComputed() throws {
    let text = Sample.smallest.replacing("[[spool]]", with: "fields = { sum = \"sha256:{sha256}\" }\n[[spool]]")
    #expect(try Sample.load(text, in: directory).storages["main"]?.digest == true)
    #expect(try Sample.load(Sample.smallest, in: directory).storages["main"]?.digest == false)
  }

  @Test func readsShapesOfRequestAndAnswer() throws {
    let text = Sample.smallest.replacing("example.com/documents", with: "example.com/{id}?a={sha256}").replacing(
      "[[spool]]",
      with: """
        fields = { a = "{link}", b = { "c.d" = [1, -2.5, true, "{null}", {}] }, e.f = 1e3 }
        success = { json = { status = "ok", result.code = 0, "a.b" = { c = true }, errors = [] } }
        [[spool]]
        """)
    let configuration = try Sample.load(text, in: directory)
    let backend = try #require(configuration.backends["main"])
    #expect(
      backend.fields
        == .object([
          "a": .text("{link}"), "e": .object(["f": .constant("1000.0")]),
          "b": .object([
            "c.d": .array([.constant("1"), .constant("-2.5"), .constant("true"), .text("{null}"), .object([:])])
          ]),
        ]))
    #expect(
      backend.success.members == [
        .init(["a", "b", "c"], .constant("true")), .init(["errors"], .array([])),
        .init(["result", "code"], .constant("0")), .init(["status"], .text("ok")),
      ])
    #expect(backend.url == "https://api.example.com/{id}?a={sha256}" && configuration.storages["main"]?.digest == true)
  }

  @Test func loadsWithoutReadingCredentials() throws {
    let path = try directory.write("waybill.toml", Sample.smallest.replacing("KEYS", with: "/nowhere"))
    #expect(throws: ConfigurationError.self) { try Configuration.load(path: path, environment: [:]) }
    let configuration = try Configuration.load(path: path, environment: [:], readingCredentials: false)
    #expect(configuration.storages["main"]?.accessKey == .file("/nowhere/access"))
  }

  @Test func spoolsKeepOrderAndNormalizePaths() throws {
    let text = Sample.smallest + "[[spool]]\npath = \"/srv//b/./\"\n[[spool]]\npath = \"/srv/a\"\n"
    let spools = try Sample.load(text, in: directory).spools
    #expect(spools.map(\.name) == ["documents", "b", "a"])
    #expect(spools.map(\.path) == ["/var/spool/waybill/documents", "/srv/b", "/srv/a"])
  }

  @Test func equalityIgnoresLineNumbers() throws {
    let one = try Sample.load(Sample.smallest, in: directory)
    #expect(one == (try Sample.load("\n\n# moved\n" + Sample.smallest, in: directory)))
    #expect(one != (try Sample.load("daemon.concurrency = 1\n" + Sample.smallest, in: directory)))
  }

  @Test func awsProfileProvidesBothKeys() throws {
    try directory.write("profiles", "[a]\naws_access_key_id = i\naws_secret_access_key = s\n")
    let environment = ["AWS_SHARED_CREDENTIALS_FILE": directory.file("profiles")]
    let text = Sample.smallest.replacing("{ file = \"KEYS/access\" }", with: "{ aws_profile = \"a\" }")
    for secret in ["", "secret_key = { aws_profile = \"a\" }"] {
      let text = text.replacing("secret_key = { file = \"KEYS/secret\" }", with: secret)
      let storage = try #require(
        try Sample.load(text, in: directory, environment: environment).storages["main"])
      #expect(storage.accessKey == .awsProfile("a"))
      #expect(storage.secretKey == .awsProfile("a"))
      #expect(storage.sessionToken == nil)
    }
    #expect(
      try Sample.problems(text, in: directory, environment: environment) == [
        "F:5: storage.main.secret_key: does not come from the profile of access_key; leave it out: the AWS profile of access_key has it"
      ])
  }

  @Test func acceptsEndpointWithPath() throws {
    let text = Sample.smallest.replacing(".amazonaws.com", with: ".amazonaws.com/s3/v1/")
    #expect(
      try Sample.load(text, in: directory).storages["main"]?.endpoint == "https://s3.eu-central-1.amazonaws.com/s3/v1")
  }
}
