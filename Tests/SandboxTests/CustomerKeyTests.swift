import ChildProcesses
import Foundation
import Testing

/// Customers' keys (SSE-C) and rules of a bucket, as curl meets them.
@Suite(.slot) struct CustomerKeyTests {
  private static let prefix = "x-amz-server-side-encryption-customer-"
  private static let key = ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "tP/LI3N87DFaSk0aoqYgzg==")
  private static let other = ("//////////////////////////////////////////8=", "DX3EJmSXEA5IMfWzG2snTw==")

  private static func headers(_ key: (String, String)?, algorithm: String = "AES256") -> [String] {
    guard let key else { return [] }
    return [
      "-H", prefix + "algorithm: " + algorithm, "-H", prefix + "key: " + key.0, "-H", prefix + "key-MD5: " + key.1,
    ]
  }

  @Test func objectNeedsItsKey() async throws {
    try await withSandbox { sandbox async throws in
      let put = try await sandbox.put("/documents/a", "hello", Self.headers(Self.key))
      #expect(put.status == 200 && put.headers[Self.prefix + "key-md5"] == Self.key.1)
      #expect(put.headers["etag"] != "\"5d41402abc4b2a76b9719d911017c592\"", "it is no MD5")
      _ = try await sandbox.put("/documents/plain", "hello")
      let rows: [(String, (String, String)?, Int, String)] = [
        ("a", Self.key, 200, ""), ("a", nil, 400, "InvalidRequest"), ("a", Self.other, 403, "AccessDenied"),
        ("plain", nil, 200, ""), ("plain", Self.key, 400, "InvalidRequest"),
      ]
      for (name, key, status, code) in rows {
        let got = try await sandbox.signed("/documents/" + name, Self.headers(key))
        #expect(got.status == status && got.body.contains(status == 200 ? "hello" : "<Code>\(code)</Code>"))
        #expect(try await sandbox.signed("/documents/" + name, ["-I"] + Self.headers(key)).status == status)
      }
      #expect(try await sandbox.signed("/documents/a", ["-X", "DELETE"]).status == 204)
    }
  }

  @Test func refusesIncompleteKeys() async throws {
    try await withSandbox { sandbox async throws in
      let rows: [([String], String)] = [
        (Self.headers(Self.key, algorithm: "DES"), "InvalidEncryptionAlgorithmError"),
        (Self.headers((Self.key.0, Self.other.1)), "InvalidArgument"),
        (Self.headers(("AAAA", Self.key.1)), "InvalidArgument"),
        (Array(Self.headers(Self.key).dropFirst(2)), "InvalidArgument"),
        (Array(Self.headers(Self.key).dropLast(2)), "InvalidArgument"),
        (Self.headers(Self.key) + ["-H", "x-amz-server-side-encryption: aws:kms"], "InvalidArgument"),
      ]
      for (headers, code) in rows {
        let put = try await sandbox.put("/documents/a", "hello", headers)
        #expect(put.status == 400 && put.body.contains("<Code>\(code)</Code>"), "\(put.body)")
      }
      #expect(try sandbox.objects() == [])
    }
  }

  @Test func bucketEnforcesItsRules() async throws {
    try await withSandbox(["--bucket-owner", "123456789012", "--requester-pays", "--block-customer-keys"]) {
      sandbox async throws in
      let pays = ["-H", "x-amz-request-payer: requester"]
      let owner = "x-amz-expected-bucket-owner: "
      let rows: [([String], Int)] = [
        (pays, 200), ([], 403), (pays + ["-H", owner + "123456789012"], 200), (pays + ["-H", owner + "1"], 403),
        (pays + Self.headers(Self.key), 403),
      ]
      for (headers, status) in rows {
        #expect(try await sandbox.put("/documents/a", "hello", headers).status == status)
      }
    }
  }
}
