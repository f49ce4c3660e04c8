import ChildProcesses
import Credentials
import Foundation
import Jobs
import LoopbackPeer
import OpenSSL
import Settings
import Messages
import Testing

@testable import ObjectStorage

@Suite(.slot) struct UploadTests {
  private static let ok = LoopbackPeer.Reply.answer(200, ["ETag": "\"e7a9\"", "x-amz-version-id": "v1"])

  @Test func receiptDescribesStoredObject() async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let file = try TestFile(Array("Welcome to Amazon S3.".utf8))
    let time = Timestamp(year: 2026, month: 11, day: 21)
    let receipt = try await TestBucket.make(peer.url, now: { time }).upload(file.object()).get()
    #expect(
      receipt
        == UploadReceipt(
          bucket: "documents", key: "a key/ü.pdf", size: 21, etag: "e7a9", version: "v1",
          sha256: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
          checksum: Checksum(
            algorithm: "sha256", type: .full, value: "RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI="),
          contentType: "application/pdf", uploadedAt: time))
  }

  @Test func requestDescribesObject() async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let file = try TestFile([1, 2, 3])
    let object = try file.object(metadata: ["invoice": "17", "waybill-x": "no"])
    let bucket = try TestBucket.make(
      peer.url, key: SigningKey(accessKey: "AKID", secret: "s", sessionToken: "token"),
      headers: ["x-amz-storage-class": "STANDARD_IA", "content-type": "text/never", "X-Amz-Meta-Invoice": "never"])
    _ = try await bucket.upload(object).get()
    let request = try #require(peer.requests.first)
    #expect(request.method == "PUT")
    #expect(request.target == "/documents/a%20key/%C3%BC.pdf")
    #expect(request.body == [1, 2, 3])
    var headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0[0].lowercased(), $0[1]) })
    let authorization = headers.removeValue(forKey: "authorization") ?? ""
    #expect(
      authorization.contains(
        "SignedHeaders=content-type;host;if-none-match;x-amz-checksum-sha256;x-amz-content-sha256;x-amz-date;x-amz-meta-invoice;"
          + "x-amz-meta-waybill-id;x-amz-meta-waybill-sha256;x-amz-security-token;x-amz-storage-class, "))
    #expect(headers.removeValue(forKey: "x-amz-date") != nil)
    #expect(headers.removeValue(forKey: "traceparent")?.hasPrefix("00-\(object.id.trace)-") == true)
    #expect(
      headers == [
        "host": "127.0.0.1:\(peer.port)", "content-length": "3", "content-type": "application/pdf",
        "accept-encoding": "identity", "if-none-match": "*", "user-agent": "waybill/test",
        "x-amz-security-token": "token",
        "x-amz-meta-waybill-id": object.id.description, "x-amz-meta-invoice": "17",
        "x-amz-meta-waybill-sha256": "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
        "x-amz-storage-class": "STANDARD_IA",
        "x-amz-checksum-sha256": "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=",
        "x-amz-content-sha256": "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
      ])
  }
}
