import ChildProcesses
import Foundation

/// A Ceph gateway with a bucket of a test's own: one that tests share, or one that may be made to fail.
final class CephServer: Sendable {
  let storage: StorageSetup
  /// Its folder, for the scripts that work on it.
  let ceph: String
  /// The folder above that, if it is no other test's.
  private let folder: TemporaryFolder?

  /// One that was started before the tests, in this folder.
  fileprivate init(in ceph: String) async throws {
    var storage = try Self.storage(try String(contentsOfFile: ceph + "/env", encoding: .utf8))
    storage.bucket = "test-" + UUID().uuidString.lowercased()
    (self.storage, self.ceph, folder) = (storage, ceph, nil)
    try await S3Reader(storage: storage).makeBucket()
  }

  /// Starts one in a folder.
  fileprivate init(in folder: TemporaryFolder) async throws {
    (self.folder, ceph) = (folder, folder.file("ceph"))
    let command = try await Command.run(
      [Products.support("ceph-rgw-up.sh"), ceph], environment: ["RGW_STS": nil, "RGW_PORT": nil, "RGW_TLS_PORT": nil],
      within: patience * 3)
    guard command.status == 0 else { throw Missing("a Ceph gateway: \(command.errors)") }
    storage = try Self.storage(command.output)
  }

  /// Reads what `ceph-rgw-up.sh` says of a gateway.
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

  /// Makes it fail, or heals it, by a mode of `ceph-rgw-fail.sh`.
  func fail(_ mode: String) async throws {
    try await Command.require([Products.support("ceph-rgw-fail.sh"), ceph, mode])
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

  /// Ends it, if it is the test's own.
  func end() async {
    guard let folder else { return }
    do {
      try await Command.require([Products.support("ceph-rgw-down.sh"), ceph])
    } catch {
      print("ignored: a Ceph gateway in \(ceph) may be left: \(error)")
    }
    folder.remove()
  }
}

/// Gives a test a bucket of its own on a Ceph gateway that tests share: one that gives out temporary keys, or the one of the others. The
/// first says of each key that it does not know what it says of a missing right.
func withCeph(withTemporaryKeys: Bool = false, _ body: (CephServer) async throws -> Void) async throws {
  try await body(try await CephServer(in: try RealS3.ceph(withTemporaryKeys: withTemporaryKeys)))
}

/// Starts a Ceph gateway for a test, which makes it fail, and ends it whatever happens.
func withOwnCeph(_ body: (CephServer) async throws -> Void) async throws {
  let server = try await CephServer(in: try TemporaryFolder())
  do {
    try await body(server)
  } catch {
    await server.end()
    throw error
  }
  await server.end()
}
