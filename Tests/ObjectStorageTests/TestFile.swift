import ChildProcesses
import Foundation
import Jobs
import Linux

@testable import ObjectStorage

/// A file in a folder of its own, which goes with this value.
final class TestFile: Sendable {
  private let folder: TemporaryFolder
  let name = "file"

  var path: String { folder.file(name) }

  init(_ bytes: [UInt8]) throws {
    folder = try TemporaryFolder()
    try write(bytes)
  }

  /// Replaces the bytes in place: the same inode, other facts.
  func write(_ bytes: [UInt8]) throws {
    if let handle = FileHandle(forWritingAtPath: path) {
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
    } else {
      try Data(bytes).write(to: URL(filePath: path))
    }
  }

  func truncate(to size: Int64) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
  }

  func open() throws -> OpenFile { try Directory(path: folder.path).open(Array(name.utf8)) }

  func identity() throws -> FileIdentity { FileIdentity(try open().facts()) }

  func object(
    bucket: String = "documents", key: String = "a key/ü.pdf", id: JobID = TestFile.newID(),
    metadata: [String: String] = [:], mayBeStale: Bool = false
  ) throws -> ObjectToStore {
    var object = ObjectToStore(
      id: id, bucket: bucket, key: key, contentType: "application/pdf", metadata: metadata, expected: try identity(),
      open: { try self.open() })
    object.mayBeStale = mayBeStale
    return object
  }

  /// One whose key has its job's id in it, as by default.
  func objectOfItsOwn() throws -> ObjectToStore {
    let id = Self.newID()
    return try object(key: "\(id)/ü.pdf", id: id)
  }

  static func newID() -> JobID {
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    return JobID.mint(at: Timestamp(seconds: 1_700_000_000), random: &random)
  }

  /// Bytes that look random and are the same each time. They come again after a prime number of them, as no chunk and no part does.
  static func bytes(_ count: Int) -> [UInt8] {
    var bytes = Array(run.prefix(count))
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += run.prefix(count - bytes.count) }
    return bytes
  }

  private static let run: [UInt8] = {
    var state: UInt32 = 2_463_534_242
    return (0..<65_521).map { _ in
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return UInt8(truncatingIfNeeded: state)
    }
  }()
}
