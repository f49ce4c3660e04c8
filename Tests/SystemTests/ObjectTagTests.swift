import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Tags, headers and locks by file, as servers that others wrote keep them.
@Suite(.slot)
struct ObjectTagTests {
  private func read(_ storage: StorageSetup, _ key: String) async throws -> (tags: [String: String], head: JSONValue) {
    func call(_ words: String...) async throws -> JSONValue {
      let program = try AWSCLI.program()
      let command = try await Command.run(
        [program, "--endpoint-url", storage.endpoint, "--output", "json", "s3api"] + words,
        environment: AWSCLI.environment(storage))
      guard command.status == 0 else { throw Missing("awscli: \(command.errors)") }
      return command.output.isEmpty ? .null : try JSONValue(parsing: command.output)
    }
    let set = try await call("get-object-tagging", "--bucket", storage.bucket, "--key=" + key)
    let head = try await call("head-object", "--bucket", storage.bucket, "--key=" + key)
    let tags = set["TagSet"].array.map { ($0["Key"].string ?? "", $0["Value"].string ?? "") }
    return (Dictionary(uniqueKeysWithValues: tags), head)
  }

  private static let metadata: [String: [UInt8]] = [
    "user.waybill.case": Array("17/24 ä".utf8), "user.waybill.note": Array("Größe".utf8),
  ]

  /// In one PUT and in parts, where they go with the beginning of the upload.
  @Test(.needs(.awscli, .s3Server), arguments: [1000, 12 << 20])
  func objectsGetTagsAndHeaders(size: Int) async throws {
    try await withRig({
      $0.storage = try RealS3.storage()
      $0.key = "{id}/{metadata.case}/{name}"
      $0.storageLines = [
        "part_size = \"5MiB\"",
        "tags = { type = \"{ext}\", case = \"{metadata.case}\", none = \"{metadata.none}\" }",
        "headers = { \"Cache-Control\" = \"max-age=5\", \"Content-Disposition\" = \"inline; filename={name}\", \"x-amz-meta-origin\" = \"{spool} {metadata.note}\" }",
      ]
      $0.spoolLines = ["link = \"https://x/{metadata.case}\""]
    }) { rig in
      let data = try Bytes.random(size)
      try await rig.drop([.init(name: Array("a+b.pdf".utf8), data: Array(data), attributes: Self.metadata)])
      let job = try await rig.daemon.job(named: "a+b.pdf", in: "registered")
      let key = try #require(job.key.string)
      #expect(key == "\(job.id.string ?? "")/17/24 ä/a+b.pdf")
      #expect(job.link == "https://x/17%2F24%20%C3%A4")
      let (tags, head) = try await read(rig.setup.storage, key)
      // Ceph forgets the tags of an upload in parts.
      if size < 6 << 20 { #expect(tags == ["type": "pdf", "case": "17/24 ä"]) }
      #expect(head["CacheControl"] == "max-age=5")
      #expect(head["ContentDisposition"] == "inline; filename=a+b.pdf")
      #expect(head["ContentLength"].int == size)
      #expect(try await S3Reader(storage: rig.setup.storage).object(key) == data)
    }
  }

  /// moto keeps locks as S3 does, but forgets those of an upload in parts.
  @Test(.needs(.moto, .awscli, .s3Server))
  func objectsAreLocked() async throws {
    try await withMoto { moto in
      try await withRig({
        $0.storage = StorageSetup(endpoint: moto.address, bucket: "locked", accessKey: "a", secretKey: "s")
        $0.storageLines = [
          "part_size = \"5MiB\"",
          "object_lock = { mode = \"compliance\", retain = \"7y\", legal_hold = true }",
        ]
        $0.spoolLines = ["priority = 1"]
      }) { rig in
        try await Command.require([
          "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-X", "PUT", "-H", "x-amz-bucket-object-lock-enabled: true",
          "-H", "Authorization: AWS4-HMAC-SHA256 Credential=a/20261124/us-east-1/s3/aws4_request",
          moto.address + "/locked",
        ])
        try rig.drop("a.pdf", try Bytes.random(1000))
        let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
        let (_, head) = try await read(rig.setup.storage, try #require(job.key.string))
        #expect(head["ObjectLockMode"] == "COMPLIANCE")
        #expect(head["ObjectLockLegalHoldStatus"] == "ON")
        let until = try #require(head["ObjectLockRetainUntilDate"].string)
        let created = try #require(job.created_at.string)
        let end = try Date.ISO8601FormatStyle().parse(until)
        let began = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(created)
        // S3 has whole seconds, and the time of the beginning is shown without its microseconds.
        #expect((0...1).contains(end.timeIntervalSince(began) - 2557 * 86_400), "\(created) \(until)")
        let probe = try await Command.run([Products.command, "check", "--probe", "--config", rig.setup.config.path])
        #expect(probe.output.contains("was given a trial object without the lock"), "\(probe)")
      }
    }
  }
}
