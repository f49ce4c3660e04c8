import ChildProcesses
import Credentials
import Foundation
import HTTPTransfer
import Jobs
import Testing

@testable import ObjectStorage

/// Links that are signed in their query, against a storage that checks such signatures.
@Suite(.slot) struct PresignedLinkTests {
  private static let facts = KeyFacts(
    spool: "s", id: TestFile.newID(), name: FileName("a"), job: JobNumber(rawValue: 1), host: "h",
    time: Timestamp(seconds: 0))

  /// "Authenticating Requests: Using Query Parameters", S3 API reference.
  @Test func signsS3ReferenceExample() {
    let query = SigV4Signer(region: "us-east-1").query(
      method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", expires: .seconds(86_400),
      key: SigningKey(accessKey: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      time: Timestamp(year: 2013, month: 5, day: 24))
    #expect(
      query == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z"
        + "&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }

  private static func get(_ url: String) async throws -> (status: Int, body: String) {
    let answer = try await Transport(maxConnections: 1).send(HTTPRequest(method: "GET", url: url, bodyLimit: 1 << 20))
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  @Test(arguments: [nil, "token+/="]) func linkGrantsReadAccess(_ token: String?) async throws {
    let sandbox = try await SandboxStorage(token.map { ["--session-token", $0] } ?? [])
    let key = SigningKey(accessKey: TestBucket.key.accessKey, secret: TestBucket.key.secret, sessionToken: token)
    let file = try TestFile(Array("hello".utf8))
    let bucket = try TestBucket.make(sandbox.url, key: key)
    _ = try await bucket.upload(file.object(key: "a key/ü+&?.pdf")).get()
    func link(_ age: Duration = .zero, _ key: SigningKey = key) async throws -> String {
      let now: @Sendable () -> Timestamp = { TestBucket.systemTime() + (.zero - age) }
      return try await TestBucket.make(sandbox.url, key: key, now: now).links(.presigned(.seconds(60)))
        .link(bucket: "documents", key: "a key/ü+&?.pdf", facts: Self.facts)
    }
    let good = try await link()
    let fetched = try await Self.get(good)
    #expect(fetched.status == 200 && fetched.body == "hello", "\(good): \(fetched)")
    let other = SigningKey(accessKey: key.accessKey, secret: "another", sessionToken: token)
    for (url, code) in [
      (try await link(.seconds(120)), "Request has expired"), (try await link(.seconds(-3600)), "not valid yet"),
      (good.replacing("X-Amz-Expires=60", with: "X-Amz-Expires=61"), "SignatureDoesNotMatch"),
      (good.replacing("X-Amz-Expires=60", with: "X-Amz-Expires=604801"), "AuthorizationQueryParametersError"),
      (good.replacing("a%20key", with: "b%20key"), "SignatureDoesNotMatch"),
      (try await link(.zero, other), "SignatureDoesNotMatch"),
    ] {
      let refused = try await Self.get(url)
      #expect(refused.status == 403 || refused.status == 400, "\(url)")
      #expect(refused.body.contains(code), "\(code): \(refused.body)")
    }
  }

  @Test func groupLinkIsUnsigned() async throws {
    let links = try await TestBucket.make("http://127.0.0.1:9").links(.presigned(.seconds(60)))
    #expect(links.link(toGroup: "runs/1/", bucket: "documents", facts: Self.facts) == "s3://documents/runs/1/")
    let template = try await TestBucket.make("http://127.0.0.1:9").links(.template(LinkTemplate("x://{bucket}/{key}")))
    #expect(template.link(bucket: "b", key: "k/ü", facts: Self.facts) == "x://b/k/%C3%BC")
    #expect(template.link(toGroup: "k/", bucket: "b", facts: Self.facts) == "x://b/k/")
  }
}
