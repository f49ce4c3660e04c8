import ChildProcesses
import Foundation

/// Reads objects with awscli: keys, bytes and metadata as another S3 client sees them.
struct AWSReader {
  let storage: StorageSetup

  struct Object {
    let bytes: [UInt8]
    let metadata: [String: String]
  }

  /// The objects of these keys in their order, nil where there is none, and all keys that the bucket lists.
  func read(_ keys: [[UInt8]]) async throws -> (objects: [Object?], listed: Set<[UInt8]>) {
    let python = URL(filePath: try AWSCLI.program()).deletingLastPathComponent().appending(path: "python").path
    let command = try await Command.run(
      [python, Products.support("s3-read.py"), storage.endpoint, storage.bucket],
      environment: AWSCLI.environment(storage),
      input: try JSONEncoder().encode(keys), within: .seconds(240))
    guard command.status == 0 else { throw Missing("awscli ended with \(command.status): \(command.errors)") }
    let answer = try JSONValue(parsing: command.output)
    let objects = answer.objects.array.map { object -> Object? in
      guard let hex = object.body.string, case .object(let metadata) = object.metadata else { return nil }
      return Object(bytes: Self.bytes(hex), metadata: metadata.compactMapValues(\.string))
    }
    return (objects, Set(answer["keys"].array.map { $0.array.compactMap(\.int).map { UInt8($0) } }))
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.map { UInt8($0 > 0x39 ? $0 - 0x57 : $0 - 0x30) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
