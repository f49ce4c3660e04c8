import ChildProcesses
import Foundation
import Testing

/// What curl got: the server of every test is driven by a program that is not ours.
struct CurlAnswer {
  /// curl's exit status: 0 done, 18 partial answer, 52 no answer.
  var exit: Int32
  var status: Int
  /// By lower-case name.
  var headers: [String: String]
  var body: String
  var bytes: Data

  /// The body as a JSON object.
  func json() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
  }
}

extension RunningSandbox {
  /// Runs curl against a path of the sandbox.
  func curl(_ path: String, _ arguments: [String]) async throws -> CurlAnswer {
    let name = UUID().uuidString
    let head = folder.url.appending(path: "head-" + name)
    let body = folder.url.appending(path: "body-" + name)
    try Data().write(to: head)
    try Data().write(to: body)
    let command = ["curl", "-q", "-sS", "--noproxy", "*", "--max-time", "60", "-D", head.path(), "-o", body.path()]
    let curl = try await Command.run(command + arguments + [url + path])
    let bytes = try Data(contentsOf: body)
    // The last head counts: a 100 Continue may stand before it.
    let heads = try String(contentsOf: head, encoding: .utf8).components(separatedBy: "\r\n\r\n").filter { !$0.isEmpty }
    let lines = (heads.last ?? "").components(separatedBy: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return CurlAnswer(
      exit: curl.status, status: words.count > 1 ? Int(words[1]) ?? 0 : 0, headers: headers,
      body: String(decoding: bytes, as: UTF8.self), bytes: bytes)
  }

  /// Signs with curl's own implementation of Signature Version 4.
  func signed(_ path: String, hash: String = "UNSIGNED-PAYLOAD", _ arguments: [String]) async throws -> CurlAnswer {
    try await curl(
      path,
      [
        "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", Self.accessKey + ":" + Self.secretKey,
        "-H", "x-amz-content-sha256: " + hash,
      ] + arguments)
  }

  /// Uploads bytes, signed, with no claim about their hash unless one is given.
  func put(_ path: String, _ bytes: String, hash: String = "UNSIGNED-PAYLOAD") async throws -> CurlAnswer {
    try await signed(path, hash: hash, ["-T", try file(Data(bytes.utf8))])
  }

  /// Registers a body.
  func register(_ body: String, key: String? = nil) async throws -> CurlAnswer {
    try await curl(
      "/register",
      ["-H", "Content-Type: application/json", "--data-binary", body]
        + (key.map { ["-H", "Idempotency-Key: " + $0] } ?? []))
  }

  /// Sets faults; the answer says which are in force.
  @discardableResult
  func faults(_ json: String) async throws -> CurlAnswer {
    try await curl("/_admin/faults", ["-X", "PUT", "-d", json])
  }

  /// What the sandbox says about itself.
  func state() async throws -> [String: Any] { try await curl("/_admin/state", []).json() }

  /// The requests that it remembers.
  func recorded() async throws -> [[String: Any]] { try #require(try await state()["recorded"] as? [[String: Any]]) }
}
