import Credentials
import Foundation
import HTTPTransfer
import Jobs
import OpenSSL
import Testing
import XML

@testable import ObjectStorage

/// A real S3 server that somebody started, with a bucket in it.
struct RealStorage {
  private static let environment = ProcessInfo.processInfo.environment
  static let url = environment["WAYBILL_TEST_S3"]

  let key: SigningKey
  let bucket: String

  /// Makes the bucket if it is not there yet.
  init() async throws {
    key = SigningKey(
      accessKey: try #require(Self.environment["WAYBILL_TEST_S3_KEY"]),
      secret: try #require(Self.environment["WAYBILL_TEST_S3_SECRET"]))
    bucket = Self.environment["WAYBILL_TEST_S3_BUCKET"] ?? "waybill-tests"
    do {
      _ = try await request("PUT", path: "/\(bucket)")
    } catch let refusal as Unexpected where refusal.status == 409 {
      return  // it is there
    }
  }

  func client(
    key: SigningKey? = nil, overwrite: Bool = false,
    now: @escaping @Sendable () -> Timestamp = TestBucket.systemTime
  ) throws -> S3Bucket {
    try TestBucket.make(try #require(Self.url), key: key ?? self.key, overwrite: overwrite, now: now)
  }

  func anObject() throws -> ObjectToStore { try TestFile([1, 2, 3]).object(bucket: bucket, key: "refused/\(UUID())") }

  func get(_ object: ObjectToStore) async throws -> [UInt8] { try await request("GET", path: path(object)).body }

  /// SHA-256 of an object's bytes, in hex.
  func sha256(_ object: ObjectToStore) async throws -> String {
    Hex.text(SHA256.hash(data: try await request("GET", path: path(object), limit: 64 << 20).body))
  }

  /// The keys of the uploads in parts that are under way.
  func uploads(prefix: String) async throws -> [String] {
    let answer = try await request("GET", path: "/\(bucket)", query: [("prefix", prefix), ("uploads", "")])
    let root = try #require(XMLElement.parse(answer.body))
    return root.children.filter { $0.name == "Upload" }.compactMap { $0["Key"]?.text }
  }

  /// Makes a bucket that keeps versions.
  func versionedBucket() async throws -> String {
    let name = "versions-\(UUID().uuidString.lowercased())"
    _ = try await request("PUT", path: "/\(name)")
    let body = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    _ = try await request("PUT", path: "/\(name)", query: [("versioning", "")], body: Array(body.utf8))
    return name
  }

  /// How many versions and delete markers a bucket has.
  func versions(in bucket: String) async throws -> (objects: Int, markers: Int) {
    let answer = try await request("GET", path: "/\(bucket)", query: [("versions", "")])
    let root = try #require(XMLElement.parse(answer.body))
    return (root.children.count { $0.name == "Version" }, root.children.count { $0.name == "DeleteMarker" })
  }

  private struct Unexpected: Error {
    var status: Int
    var body: String
  }

  private func path(_ object: ObjectToStore) -> String { "/\(object.bucket)/\(PercentEncoding.path(object.key))" }

  private func request(
    _ method: String, path: String, query: [(String, String)] = [], body: [UInt8] = [], limit: Int = 64 << 10
  ) async throws -> HTTPResponse {
    let endpoint = try S3Endpoint(try #require(Self.url))
    let headers = SigV4Signer(region: "us-east-1").headers(
      method: method, host: endpoint.host, path: path[...], query: query.map { (name: $0.0, value: $0.1) }, headers: [],
      payloadHash: Hex.text(SHA256.hash(data: body)), key: key,
      time: TestBucket.systemTime())
    let tail = query.isEmpty ? "" : "?" + CanonicalRequest.canonical(query.map { (name: $0.0, value: $0.1) })
    let response = try await Transport(maxConnections: 1).send(
      HTTPRequest(
        method: method, url: endpoint.origin + path + tail, headers: headers, body: body.isEmpty ? .none : .bytes(body),
        bodyLimit: limit))
    guard (200..<300).contains(response.status) else {
      throw Unexpected(status: response.status, body: String(decoding: response.body, as: UTF8.self))
    }
    return response
  }
}
