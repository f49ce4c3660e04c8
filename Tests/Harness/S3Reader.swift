import ChildProcesses
import Foundation

/// Reads and writes objects with curl's own signatures: an eye that shares nothing with the code under test.
struct S3Reader {
  let storage: StorageSetup

  /// An object's bytes; nil where there is none.
  func object(_ key: String) async throws -> Data? { try await objects([key])[key] }

  /// Several objects' bytes, by key, over one connection.
  func objects(_ keys: [String]) async throws -> [String: Data] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var config = "fail\nsilent\n"
    for (index, key) in keys.enumerated() {
      config += "url = \"\(url(key))\"\noutput = \"\(folder.url.appending(path: String(index)).path)\"\n"
    }
    // curl tells a missing object by its status, which does not keep it from the next one.
    let file = folder.url.appending(path: "config")
    try config.write(to: file, atomically: true, encoding: .utf8)
    _ = try await Command.run(["curl", "-q"] + signing + ["--globoff", "-K", file.path])
    var objects: [String: Data] = [:]
    for (index, key) in keys.enumerated() {
      objects[key] = FileManager.default.contents(atPath: folder.url.appending(path: String(index)).path)
    }
    return objects
  }

  /// Makes the bucket.
  func makeBucket() async throws {
    try await Command.require(
      ["curl", "-q", "-sS", "--fail", "-X", "PUT"] + signing + ["\(storage.endpoint)/\(storage.bucket)"])
  }

  /// Writes an object as someone else would, without Waybill's mark.
  func put(_ data: Data, at key: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "foreign")
    try data.write(to: file)
    try await Command.require(["curl", "-q", "-sS", "--fail", "--globoff", "-T", file.path] + signing + [url(key)])
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
