import ChildProcesses
import Foundation

/// Reads objects with curl's own signatures: an eye that shares nothing with the code under test.
struct S3Reader {
  let storage: StorageSetup

  func object(_ key: String) async throws -> Data? {
    let folder = try TemporaryFolder()
    let file = folder.file("object")
    _ = try await Command.run(["curl", "-q", "-sS", "--fail", "--globoff", "-o", file] + signing + [url(key)])
    return FileManager.default.contents(atPath: file)
  }

  func makeBucket() async throws {
    try await Command.require(
      ["curl", "-q", "-sS", "--fail", "-X", "PUT"] + signing + ["\(storage.endpoint)/\(storage.bucket)"])
  }

  private func url(_ key: String) -> String {
    "\(storage.endpoint)/\(storage.bucket)/\(percentEncoded(key, keeping: "/"))"
  }

  private var signing: [String] {
    [
      "--noproxy", "*", "--aws-sigv4", "aws:amz:\(storage.region):s3",
      "--user", "\(storage.accessKey):\(storage.secretKey)", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD",
    ]
  }
}
