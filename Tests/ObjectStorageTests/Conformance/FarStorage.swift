import ChildProcesses
import Credentials
import Foundation
import HTTPTransfer
import Jobs
import Linux
import OpenSSL
import Settings
import Testing
import XML

@testable import ObjectStorage

/// A storage at the end of a wire that can be spoiled: a server that others wrote, or the sandbox.
final class FarStorage: Sendable {
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case ceph, openstack, sandbox

    var testDescription: String { rawValue }

    /// Whether `If-None-Match: *` is known for a single PUT. OpenStack answers 501, so it is configured with `overwrite`.
    var keepsConditions: Bool { self != .openstack }
    var checksChecksums: Bool { self == .sandbox }
    var checksRegions: Bool { self == .openstack }
  }

  struct Way: Sendable, CustomTestStringConvertible {
    let kind: Kind
    let isSecure: Bool

    static let all = Kind.allCases.map { Way(kind: $0, isSecure: false) }
    /// The wire has the TLS, so of the servers one is enough.
    static let secure = Way(kind: .sandbox, isSecure: true)

    var testDescription: String { kind.rawValue + (isSecure ? " over TLS" : "") }
  }

  let kind: Kind
  let wire: Wire
  let key: SigningKey
  let bucket: String
  private let certificate: ChildProcesses.Certificate?
  private let sandbox: ChildProcess?

  init(_ way: Way) async throws {
    kind = way.kind
    certificate = way.isSecure ? try await ChildProcesses.Certificate(for: "IP:127.0.0.1") : nil
    let endpoint: String
    switch way.kind {
    case .ceph:
      endpoint = try Self.environment("WAYBILL_TEST_S3")
      key = SigningKey(
        accessKey: try Self.environment("WAYBILL_TEST_S3_KEY"), secret: try Self.environment("WAYBILL_TEST_S3_SECRET"))
      bucket = try Self.environment("WAYBILL_TEST_S3_BUCKET")
      sandbox = nil
    case .openstack:
      endpoint = try Self.environment("WAYBILL_TEST_OPENSTACK")
      key = SigningKey(
        accessKey: try Self.environment("WAYBILL_TEST_OPENSTACK_KEY"),
        secret: try Self.environment("WAYBILL_TEST_OPENSTACK_SECRET"))
      bucket = try Self.environment("WAYBILL_TEST_OPENSTACK_BUCKET")
      sandbox = nil
    case .sandbox:
      key = SigningKey(accessKey: "AKIDEXAMPLE", secret: "secret")
      bucket = "documents"
      let child = try ChildProcess([
        Products.sandbox, "--access-key", key.accessKey, "--secret-key", key.secret, "--data",
        FileManager.default.temporaryDirectory.appending(path: "waybill-conformance-\(UUID())").path,
      ])
      endpoint = String(try await child.prints("\n").dropFirst("listening on ".count).dropLast())
      sandbox = child
    }
    wire = try await Wire(to: String(endpoint.dropFirst("http://".count)), certificate: certificate)
  }

  private static func environment(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
      throw Missing("\(name) is not set: scripts/test starts the servers")
    }
    return value
  }

  /// Says in the output what a server cannot do, so that it is not skipped in silence.
  func cannot(_ what: String) { print("conformance: \(kind) cannot: \(what)") }

  func client(
    key: SigningKey? = nil, region: String = "us-east-1", checksum: ChecksumAlgorithm = .sha256, digest: Bool = false,
    overwrite: Bool? = nil, concurrency: Int = 3
  ) throws -> S3Bucket {
    let key = key ?? self.key
    return try S3Bucket(
      StorageSettings(wire.url, region: region) {
        $0.overwrite = overwrite ?? !kind.keepsConditions
        $0.checksum = checksum
        $0.digest = digest
        $0.multipartThreshold = PartFile.partSize
        $0.partSize = PartFile.partSize
        $0.partConcurrency = concurrency
        $0.connectTimeout = .seconds(20)
        $0.stallTimeout = .seconds(60)
        $0.caFile = certificate?.authority
      },
      .init(
        transport: Transport(maxConnections: 4), workers: WorkerThreads(count: 2, name: "test"),
        now: TestBucket.systemTime)
    ) { () async throws(CredentialError) in key }
  }

  func bytes(_ key: String, in bucket: String? = nil) async throws -> [UInt8]? {
    let response = try await send("GET", key, in: bucket)
    return response.status == 404 ? nil : response.body
  }

  func sha256(_ key: String) async throws -> String? {
    try await bytes(key).map { Hex.text(SHA256.hash(data: $0)) }
  }

  func head(_ key: String) async throws -> HTTPHeaders { try await send("HEAD", key).headers }

  func uploads(_ prefix: String) async throws -> [String] {
    let answer = try await send("GET", nil, query: [("prefix", prefix), ("uploads", "")])
    let root = try #require(XMLElement.parse(answer.body))
    return root.children.filter { $0.name == "Upload" }.compactMap { $0["Key"]?.text }
  }

  func versionedBucket() async throws -> String {
    let name = "versions-\(UUID().uuidString.lowercased())"
    let body = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    for (query, body) in [([], ""), ([("versioning", "")], body)] as [([(String, String)], String)] {
      let answer = try await send("PUT", nil, in: name, query: query, body: Array(body.utf8))
      try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }
    return name
  }

  func versions(in bucket: String) async throws -> (objects: Int, markers: Int) {
    let answer = try await send("GET", nil, in: bucket, query: [("versions", "")])
    let root = try #require(XMLElement.parse(answer.body))
    return (root.children.count { $0.name == "Version" }, root.children.count { $0.name == "DeleteMarker" })
  }

  private func send(
    _ method: String, _ key: String?, in bucket: String? = nil, query: [(String, String)] = [], body: [UInt8] = []
  ) async throws -> HTTPResponse {
    let endpoint = try S3Endpoint(wire.url)
    let path = "/\(bucket ?? self.bucket)" + (key.map { "/" + PercentEncoding.path($0) } ?? "")
    let named = query.map { (name: $0.0, value: $0.1) }
    let headers = SigV4Signer(region: "us-east-1").headers(
      method: method, host: endpoint.host, path: path[...], query: named, headers: [],
      payloadHash: Hex.text(SHA256.hash(data: body)), key: self.key, time: TestBucket.systemTime())
    let tail = query.isEmpty ? "" : "?" + CanonicalRequest.canonical(named)
    return try await Transport(maxConnections: 1).send(
      HTTPRequest(
        RequestShape(method: method, caFile: certificate?.authority), url: endpoint.origin + path + tail,
        headers: headers, body: body.isEmpty ? .none : .bytes(body), bodyLimit: 64 << 20))
  }
}
