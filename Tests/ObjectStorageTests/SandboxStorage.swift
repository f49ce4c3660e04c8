import ChildProcesses
import Credentials
import Foundation
import HTTPTransfer
import Testing

@testable import ObjectStorage

final class SandboxStorage: Sendable {
  let url: String
  private let child: ChildProcess
  private let folder: TemporaryFolder
  private let transport: Transport

  init(_ arguments: [String] = []) async throws {
    folder = try TemporaryFolder()
    transport = try Transport(maxConnections: 1)
    let key = TestBucket.key
    let words = ["--data", folder.file("data"), "--access-key", key.accessKey, "--secret-key", key.secret]
    child = try ChildProcess([Products.sandbox] + words + arguments)
    let line = try await child.prints("\n")
    url = String(line.dropFirst("listening on ".count).dropLast())
  }

  func fail(_ json: String) async throws {
    let answer = try await call("PUT", "/_admin/faults", Array(json.utf8))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  func count(_ kind: String) async throws -> Int {
    try await (state()["requests"] as? [String: Int])?[kind] ?? 0
  }

  func peak(_ kind: String) async throws -> Int {
    try await (state()["peak"] as? [String: Int])?[kind] ?? 0
  }

  func parts(_ key: String) async throws -> [Int: Int] {
    let parts = try await (state()["parts"] as? [String: [String: Int]])?[key] ?? [:]
    return Dictionary(uniqueKeysWithValues: parts.map { (Int($0.key) ?? 0, $0.value) })
  }

  func uploads() async throws -> [String] {
    let uploads = try #require(try await state()["uploads"] as? [[String: Any]])
    return uploads.compactMap { $0["key"] as? String }
  }

  /// What is kept of an object: `size`, `sha256`, `etag`, `metadata`, `headers`, `checksums`.
  func object(_ key: String) async throws -> [String: Any] {
    let body = try await call("GET", "/_admin/objects").body
    let objects = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [[String: Any]])
    return try #require(objects.first { $0["key"] as? String == key }, "no object \(key)")
  }

  /// The last requests, in the order in which they came: `kind`, `method`, `target`, `authorization`.
  func requests() async throws -> [[String: Any]] {
    try #require(try await state()["recorded"] as? [[String: Any]])
  }

  private func state() async throws -> [String: Any] {
    let body = try await call("GET", "/_admin/state").body
    return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  private func call(_ method: String, _ path: String, _ body: [UInt8]? = nil) async throws -> HTTPResponse {
    try await transport.send(
      HTTPRequest(method: method, url: url + path, body: body.map { .bytes($0) } ?? .none, bodyLimit: 4 << 20))
  }
}
