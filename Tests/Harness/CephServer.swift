import ChildProcesses
import Foundation

/// A Ceph gateway of a test's own, which may be made to fail without other tests noticing.
final class CephServer: Sendable {
  let storage: StorageSetup
  private let folder: TemporaryFolder
  /// Its folder, for the scripts that work on it.
  var ceph: String { folder.file("ceph") }

  /// Starts one; `withTemporaryKeys` makes it give out such.
  init(withTemporaryKeys: Bool = false) async throws {
    folder = try TemporaryFolder()
    let command = try await Command.run(
      [Products.support("ceph-rgw-up.sh"), folder.file("ceph")],
      environment: ["RGW_STS": String(withTemporaryKeys), "RGW_PORT": nil, "RGW_TLS_PORT": nil], within: patience * 3)
    guard command.status == 0 else { throw Missing("a Ceph gateway: \(command.errors)") }
    let facts = Dictionary(
      uniqueKeysWithValues: command.output.split(separator: "\n").compactMap { line -> (String, String)? in
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
      })
    storage = StorageSetup(
      endpoint: facts["S3_ENDPOINT"] ?? "", bucket: facts["S3_BUCKET"] ?? "", accessKey: facts["S3_KEY"] ?? "",
      secretKey: facts["S3_SECRET"] ?? "")
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

  /// Ends it.
  func end() async {
    do {
      try await Command.require([Products.support("ceph-rgw-down.sh"), ceph])
    } catch {
      print("ignored: a Ceph gateway in \(ceph) may be left: \(error)")
    }
    folder.remove()
  }
}

/// Starts a Ceph gateway for a test and ends it whatever happens.
func withCeph(withTemporaryKeys: Bool = false, _ body: (CephServer) async throws -> Void) async throws {
  let server = try await CephServer(withTemporaryKeys: withTemporaryKeys)
  do {
    try await body(server)
  } catch {
    await server.end()
    throw error
  }
  await server.end()
}
