import ChildProcesses
import Foundation
import Testing

/// SHA-256 of "hello".
private let helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

@Suite(.slot) struct SignatureTests {
  @Test func wrongSecretStoresNothing() async throws {
    try await withSandbox { sandbox async throws in
      let put = try await sandbox.put("/documents/a", "hello", hash: helloHash, secret: "another")
      #expect(put.status == 403)
      #expect(put.body.contains("<Code>SignatureDoesNotMatch</Code>"))
      #expect(try sandbox.objects() == [])
    }
  }

  @Test func refusesUnknownKey() async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await sandbox.signed("/documents/a", key: "another")
      #expect(answer.status == 403)
      #expect(answer.body.contains("<Code>InvalidAccessKeyId</Code>"))
    }
  }

  @Test func refusesUnsignedRequest() async throws {
    try await withSandbox { sandbox async throws in
      let put = try await sandbox.curl("/documents/a", ["-T", try sandbox.file(Data("hello".utf8))])
      #expect(put.status == 403)
      #expect(put.body.contains("<Code>AccessDenied</Code>"))
      #expect(try sandbox.objects() == [])
    }
  }

  @Test func signatureFitsOnlyItsRequest() async throws {
    try await withSandbox { sandbox async throws in
      _ = try await sandbox.put("/documents/a", "hello", hash: helloHash)
      let recorded = try #require(try await sandbox.recorded().last)
      let authorization = try #require(recorded["authorization"] as? String)
      let date = try #require(recorded["x_amz_date"] as? String)
      let copied = [
        "-T", try sandbox.file(Data("hello".utf8)), "-H", "Authorization: " + authorization, "-H",
        "x-amz-date: " + date,
        "-H", "x-amz-content-sha256: " + helloHash,
      ]
      #expect(try await sandbox.curl("/documents/a", copied).status == 200)

      let elsewhere = try await sandbox.curl("/documents/b", copied)
      #expect(elsewhere.status == 403)
      #expect(elsewhere.body.contains("<Code>SignatureDoesNotMatch</Code>"))

      let added = try await sandbox.curl("/documents/a", copied + ["-H", "x-amz-meta-owner: me"])
      #expect(added.status == 403)
      #expect(added.body.contains("not signed: x-amz-meta-owner"))
    }
  }

  @Test func refusesSkewedClock() async throws {
    try await withSandbox { sandbox async throws in
      let credential = "Credential=\(RunningSandbox.accessKey)/20200101/us-east-1/s3/aws4_request"
      let signature = String(repeating: "0", count: 64)
      let answer = try await sandbox.curl(
        "/documents/a",
        [
          "-H", "x-amz-date: 20200101T000000Z", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "-H",
          "Authorization: AWS4-HMAC-SHA256 \(credential), SignedHeaders=host, Signature=\(signature)",
        ])
      #expect(answer.status == 403)
      #expect(answer.body.contains("<Code>RequestTimeTooSkewed</Code>"))
    }
  }

  @Test(arguments: ["Basic abc", "AWS4-HMAC-SHA256 nonsense", "AWS4-HMAC-SHA256 Credential=a/b, Signature=00"])
  func refusesMalformedHeader(_ value: String) async throws {
    try await withSandbox { sandbox async throws in
      let answer = try await sandbox.curl("/documents/a", ["-H", "Authorization: " + value])
      #expect(answer.status == 400)
      #expect(answer.body.contains("<Code>AuthorizationHeaderMalformed</Code>"))
    }
  }

  @Test func wrongHashStoresNothing() async throws {
    try await withSandbox { sandbox async throws in
      let put = try await sandbox.put("/documents/a", "hullo", hash: helloHash)
      #expect(put.status == 400)
      #expect(put.body.contains("<Code>XAmzContentSHA256Mismatch</Code>"))
      #expect(try sandbox.objects() == [])
      let incoming = sandbox.folder.url.appending(path: "data/incoming").path()
      #expect(try FileManager.default.contentsOfDirectory(atPath: incoming) == [])
    }
  }

  @Test func signatureCoversQuery() async throws {
    try await withSandbox { sandbox async throws in
      _ = try await sandbox.put("/documents/in/a", "1")
      _ = try await sandbox.put("/documents/out", "2")
      let list = try await sandbox.signed("/documents?list-type=2&prefix=in%2F")
      #expect(list.status == 200)
      #expect(list.body.contains("<Key>in/a</Key>"))
      #expect(!list.body.contains("<Key>out</Key>"))
    }
  }
}
