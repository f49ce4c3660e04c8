import ChildProcesses
import Foundation

/// AWS's S3 as ministack plays it on loopback. It checks every checksum that comes with a request.
struct MinistackServer {
  private static let program = Products.source(".build-test/ministack-venv/bin/ministack")

  let address: String
  private let child: ChildProcess

  /// Starts one and waits until it answers.
  init(in folder: URL) async throws {
    let port = Ports.free()
    address = "http://127.0.0.1:\(port)"
    child = try ChildProcess(
      [Self.program], environment: ["BIND_HOST": "127.0.0.1", "GATEWAY_PORT": String(port), "TMPDIR": folder.path],
      folder: folder, log: "ministack")
    let address = address
    try await until("ministack to answer") {
      try await Command.run(["curl", "-q", "-sS", "--noproxy", "*", address]).status == 0
    }
  }

  /// Makes a bucket.
  func make(bucket: String) async throws {
    try await Command.require([
      "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-X", "PUT", "-H", Self.authorization, "\(address)/\(bucket)",
    ])
  }

  /// Reads an object into a file.
  func get(_ bucket: String, _ key: String, to file: URL) async throws {
    try await Command.require([
      "curl", "-q", "-sS", "--fail", "--noproxy", "*", "-H", Self.authorization, "-o", file.path,
      "\(address)/\(bucket)/\(key)",
    ])
  }

  /// For the end of a test.
  func cut() { child.cut() }

  /// It looks only for the service that is meant.
  private static let authorization =
    "Authorization: AWS4-HMAC-SHA256 Credential=a/20261124/us-east-1/s3/aws4_request"
}
