import FoundationEssentials
import NIOPosix
import Synchronization
import SystemPackage

/// The bucket: one file per object under `objects`, and a record of each beside it.
///
/// One thread does all work on the files, in the order of the calls: no call runs between two steps of another.
final class ObjectFolder: Sendable {
  struct Incoming: Sendable {
    fileprivate let path: FilePath
    fileprivate let file: FileDescriptor
  }

  private let objects: FilePath
  private let incoming: FilePath
  let thread: NIOThreadPool
  private let objectCount: Mutex<Int>

  /// Opens the folder, creating it if it is missing, and removes bodies that were never finished.
  init(data: FilePath, thread: NIOThreadPool) throws {
    objects = data.appending("objects")
    incoming = data.appending("incoming")
    self.thread = thread
    let files = FileManager.default
    if files.fileExists(atPath: incoming.string) { try files.removeItem(atPath: incoming.string) }
    for folder in [objects, incoming] {
      try files.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    }
    objectCount = Mutex(try files.contentsOfDirectory(atPath: objects.string).count { !$0.hasPrefix(".") })
  }

  var count: Int { objectCount.withLock { $0 } }

  func path(of key: String) -> FilePath { objects.appending(ObjectName.file(for: key)) }

  func begin() async throws -> Incoming {
    let path = incoming.appending(UUID().uuidString)
    return try await thread.runIfActive {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead])
      return Incoming(path: path, file: file)
    }
  }

  func add(_ bytes: [UInt8], to body: Incoming) async throws {
    try await thread.runIfActive { [self] in try write(bytes, to: body) }
  }

  func discard(_ body: Incoming) async throws { try await thread.runIfActive { try Self.discard(body) } }

  /// Makes a body an object. It replaces an object of the same key.
  /// - Throws: PreconditionFailed if there is one and `replacing` is false; the body is removed then.
  func commit(_ body: Incoming, as record: ObjectRecord, replacing: Bool) async throws {
    try await thread.runIfActive { [self] in try place(body, as: record, replacing: replacing) }
  }

  /// Does the same on the folder's own thread.
  func place(_ body: Incoming, as record: ObjectRecord, replacing: Bool) throws {
    let beside = recordPath(of: record.key)
    let there = FileManager.default.fileExists(atPath: beside.string)
    guard replacing || !there else {
      try Self.discard(body)
      throw StorageError.precondition
    }
    try Self.move(body, to: path(of: record.key))
    try RecordFile.write(record, to: beside)
    if !there { objectCount.withLock { $0 += 1 } }
  }

  /// Adds bytes to a body on the folder's own thread.
  func write(_ bytes: [UInt8], to body: Incoming) throws { _ = try body.file.writeAll(bytes) }

  /// Moves a body to its place, on the folder's own thread.
  static func move(_ body: Incoming, to target: FilePath) throws {
    let files = FileManager.default
    try body.file.close()
    if files.fileExists(atPath: target.string) { try files.removeItem(atPath: target.string) }
    try files.moveItem(atPath: body.path.string, toPath: target.string)
  }

  func record(of key: String) async throws -> ObjectRecord? {
    let path = recordPath(of: key)
    return try await thread.runIfActive {
      guard FileManager.default.fileExists(atPath: path.string) else { return nil }
      return try RecordFile.read(path)
    }
  }

  func remove(_ key: String) async throws {
    let target = path(of: key)
    let beside = recordPath(of: key)
    try await thread.runIfActive { [self] in
      guard FileManager.default.fileExists(atPath: beside.string) else { return }
      try FileManager.default.removeItem(atPath: beside.string)
      try FileManager.default.removeItem(atPath: target.string)
      objectCount.withLock { $0 -= 1 }
    }
  }

  /// All records, sorted by the bytes of their keys.
  func records() async throws -> [ObjectRecord] {
    try await thread.runIfActive { [objects] in
      try FileManager.default.contentsOfDirectory(atPath: objects.string)
        .filter { !$0.hasPrefix(".") }
        .map { try RecordFile.read(objects.appending(ObjectName.record(for: $0))) as ObjectRecord }
        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
  }

  private func recordPath(of key: String) -> FilePath {
    objects.appending(ObjectName.record(for: ObjectName.file(for: key)))
  }

  /// Removes a body, on the folder's own thread.
  static func discard(_ body: Incoming) throws {
    try body.file.close()
    try FileManager.default.removeItem(atPath: body.path.string)
  }
}
