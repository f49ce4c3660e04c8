import ChildProcesses
import Foundation

/// A Ceph gateway that tests share, with a bucket of a test's own.
final class CephServer: Sendable {
  let storage: StorageSetup
  let ceph: String

  fileprivate init(in ceph: String) async throws {
    var storage = try Self.storage(try String(contentsOfFile: ceph + "/env", encoding: .utf8))
    storage.bucket = "test-" + UUID().uuidString.lowercased()
    (self.storage, self.ceph) = (storage, ceph)
    try await S3Reader(storage: storage).makeBucket()
  }

  private static func storage(_ words: String) throws -> StorageSetup {
    func value(_ name: String) throws -> String {
      guard let line = words.split(separator: "\n").first(where: { $0.hasPrefix(name + "=") }) else {
        throw Missing("a Ceph gateway: it does not say \(name)")
      }
      return String(line.dropFirst(name.count + 1))
    }
    return StorageSetup(
      endpoint: try value("S3_ENDPOINT"), bucket: try value("S3_BUCKET"), accessKey: try value("S3_KEY"),
      secretKey: try value("S3_SECRET"))
  }

  /// The statuses that it has answered to requests whose first line holds this, in their order, by its own log.
  func statuses(_ match: String) throws -> [Int] {
    let log = try String(contentsOfFile: ceph + "/log/client.rgw.log", encoding: .utf8)
    return log.split(separator: "\n").compactMap { line in
      // … beast: ID: ADDRESS - USER [TIME] "PUT /bucket/key?partNumber=1&… HTTP/1.1" 200 …
      let fields = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard line.contains(" beast: "), fields.count > 2, fields[1].contains(match) else { return nil }
      return fields[2].split(separator: " ").first.flatMap { Int($0) }
    }
  }
}

func withCeph(_ body: (CephServer) async throws -> Void) async throws {
  try await body(try await CephServer(in: try RealS3.ceph()))
}
