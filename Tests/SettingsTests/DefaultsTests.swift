import ChildProcesses
import Credentials
import Foundation
import Jobs
import Settings
import Testing

@Suite struct DefaultsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func `the smallest useful file loads with every default`() throws {
    let configuration = try Sample.load(Sample.smallest, in: directory)
    let daemon = configuration.daemon
    #expect(daemon.state == "/var/lib/waybill")
    #expect(daemon.control == nil)
    #expect(daemon.defaultControl == "/run/waybill/control.sock")
    #expect(daemon.concurrency == .auto)
    #expect(daemon.admitAhead == 10000)
    #expect(daemon.minFree == 64 << 20)
    #expect(daemon.bandwidth == BandwidthPlan())
    #expect(daemon.timeZone == .utc)
    #expect(daemon.grace == .seconds(25))
    #expect(daemon.history == .seconds(30 * 86400))
    #expect(daemon.journal == .info)
    #expect(daemon.metrics == nil)
    #expect(configuration.retry == RetryPolicy())
    #expect(configuration.retry.delays == [.seconds(1), .seconds(3), .seconds(5), .seconds(10)])
    #expect(configuration.retry.jitter == 0.1)
    #expect(configuration.retry.unavailable == .abort)
    #expect(configuration.summary == "1 storage, 1 backend, 1 spool")
  }

  @Test func `a storage has its defaults`() throws {
    let storage = try #require(try Sample.load(Sample.smallest, in: directory).storages["main"])
    #expect(storage.name == "main")
    #expect(storage.endpoint == "https://s3.eu-central-1.amazonaws.com")
    #expect(storage.region == "eu-central-1")
    #expect(storage.bucket == "documents")
    #expect(storage.addressing == .path)
    #expect(storage.accessKey == .file("\(directory.path)/access"))
    #expect(storage.secretKey == .file("\(directory.path)/secret"))
    #expect(storage.sessionToken == nil)
    #expect(storage.checksum == .sha256)
    #expect(storage.digest == false)
    #expect(storage.checksumHeader)
    #expect(storage.checksumTrailer == .auto)
    #expect(storage.partSize == 16 << 20)
    #expect(storage.multipartThreshold == 32 << 20)
    #expect(storage.partConcurrency == 4)
    #expect(storage.overwrite == false)
    #expect(storage.headers.isEmpty)
    #expect(storage.tags.isEmpty)
    #expect(storage.objectLock == nil)
    #expect(storage.connectTimeout == .seconds(10))
    #expect(storage.stallTimeout == .seconds(60))
    #expect(storage.caFile == nil)
    #expect(storage.retry == RetryPolicy())
  }

  @Test func `a backend and a spool have their defaults`() throws {
    let configuration = try Sample.load(Sample.smallest, in: directory)
    let backend = try #require(configuration.backends["main"])
    #expect(backend.name == "main")
    #expect(backend.url == "https://api.example.com/documents")
    #expect(backend.method == .post)
    #expect(backend.format == .json)
    #expect(backend.fields.isEmpty)
    #expect(backend.token == nil)
    #expect(backend.headers.isEmpty)
    #expect(backend.signingSecret == nil)
    #expect(backend.conflict == .ask)
    #expect(backend.success.statuses == nil && backend.success.member == nil && !backend.success.takesHTML)
    #expect(backend.timeout == .seconds(30))
    #expect(backend.connectTimeout == .seconds(10))
    #expect(backend.caFile == nil)
    #expect(backend.retry == RetryPolicy())
    let spool = try #require(configuration.spools.first)
    #expect(spool.name == "documents")
    #expect(spool.path == "/var/spool/waybill/documents")
    #expect(spool.storage == "main")
    #expect(spool.backend == "main")
    #expect(spool.key == "{spool}/{yyyy}/{mm}/{dd}/{id}/{name}")
    #expect(spool.link == nil)
    #expect(spool.settle == .milliseconds(500))
    #expect(spool.settleUnseen == .seconds(10))
    #expect(spool.settleOpen == .seconds(300))
    #expect(spool.settleEmpty == .seconds(10))
    #expect(spool.settleRenamed == .milliseconds(10))
    #expect(
      spool.ignore
        == ["*.tmp", "*.part", "*.partial", "*.filepart", "*.crdownload", "*~", "~$*", "Thumbs.db", "desktop.ini"])
    #expect(spool.only.isEmpty)
    #expect(spool.minSize == 0)
    #expect(spool.maxSize == nil)
    #expect(spool.empty == .send)
    #expect(spool.timeZone == .utc)
    #expect(spool.archiveKeep == nil)
    #expect(spool.recursive == false)
    #expect(spool.folders == .keep)
    #expect(spool.watch == .auto)
    #expect(spool.poll == .seconds(10))
    #expect(spool.rescan == .seconds(300))
    #expect(spool.after == .delete)
    #expect(spool.priority == 0)
  }

  @Test func `the shipped file loads and says what the defaults are`() throws {
    let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../etc/waybill.toml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing("/etc/waybill/keys/s3-access-key", with: "KEYS/access")
      .replacing("/etc/waybill/keys/s3-secret-key", with: "KEYS/secret")
      .replacing("/etc/waybill/keys/backend-token", with: "KEYS/token")
    try directory.write("token", "t0ken\n")
    var loaded = try Sample.load(text, in: directory)
    #expect(loaded.backends["main"]?.token == .file("\(directory.path)/token"))
    loaded.backends["main"]?.token = nil
    #expect(loaded == (try Sample.load(Sample.smallest, in: directory)))
  }

  @Test func `the shipped file shows every key, also those without a default`() throws {
    let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../etc/waybill.toml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
    let keys =
      ["state", "control", "session_token", "retry", "signing_secret", "archive"].map { "#\($0) = " }
      + ["concurrency", "url", "access_key", "settle_unseen", "priority"].map { "\n\($0) = " }
    for key in keys { #expect(text.contains(key), "\(key)") }
  }

  @Test func `systemd's directories are the defaults where it gives them`() throws {
    let environment = ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "RUNTIME_DIRECTORY": "/run/waybill-b"]
    let daemon = try Sample.load(Sample.smallest, in: directory, environment: environment).daemon
    #expect(daemon.state == "/var/lib/a")
    #expect(daemon.defaultControl == "/run/waybill-b/control.sock")
    let given = try Sample.load(
      "[daemon]\nstate = \"/srv/state/\"\ncontrol = \"/srv/c.sock\"\n" + Sample.smallest, in: directory,
      environment: environment
    ).daemon
    #expect(given.state == "/srv/state")
    #expect(given.control == "/srv/c.sock")
  }

  @Test(arguments: [
    ("https://s3.eu-west-1.amazonaws.com", "eu-west-1"),
    ("https://s3.dualstack.us-west-2.amazonaws.com", "us-west-2"),
    ("https://s3.cn-north-1.amazonaws.com.cn", "cn-north-1"), ("https://s3.amazonaws.com", "us-east-1"),
    ("http://127.0.0.1:9000", "us-east-1"), ("https://store.example.com/", "us-east-1"),
  ])
  func `without a region the endpoint tells it`(endpoint: String, region: String) throws {
    let text = Sample.smallest.replacing("https://s3.eu-central-1.amazonaws.com", with: endpoint)
    #expect(try Sample.load(text, in: directory).storages["main"]?.region == region)
  }
}
