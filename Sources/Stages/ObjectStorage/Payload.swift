import HTTPTransfer
import Jobs
import Linux
import Messages
import Settings

/// The bytes of one attempt: the open file and its checksums.
struct Payload: Sendable {
  /// A file of up to this number of bytes on a disk of this machine is read once, for hashing and sending. A larger one is read twice
  /// and never completely in memory: hundreds may be in flight, and libcurl would copy the bytes as often.
  static let inMemoryLimit = 16 << 10
  /// The same for a file on another host. Bytes in memory are sent even if that host hangs.
  static let inMemoryLimitElsewhere: Int64 = 256 << 10
  /// A file of up to this number of bytes is read and hashed on the calling thread if that does not block: waking a worker would
  /// cost more.
  static let inPlaceLimit: Int64 = 64 << 10

  let source: SourceFile
  /// The bytes for one PUT; none for an object in parts.
  let body: HTTPRequest.Body
  let sums: ObjectSums

  /// Opens the file, compares its facts and computes the checksums: on worker threads, unless the file is small and in the page cache.
  /// - Throws: the errors of opening, ``FileError``, ``UploadFailure/changed(_:now:)``, and `CancellationError` between slices.
  static func read(
    _ object: ObjectToStore, _ algorithm: ChecksumAlgorithm, digest: Bool = false, on workers: WorkerThreads
  ) async throws -> Payload {
    let size = object.expected.size
    if object.isLocal, size <= inPlaceLimit {
      let source = try SourceFile(opening: object)
      if let bytes = try source.file.readFromMemory(count: Int(size)) {
        return Payload(source, bytes, algorithm, digest)
      }
      return try await workers.run { Payload(source, try source.whole(), algorithm, digest) }
    }
    if !object.isLocal, size <= inMemoryLimitElsewhere {
      return try await workers.run {
        let source = try SourceFile(opening: object)
        return Payload(source, try source.whole(), algorithm, digest)
      }
    }
    let source = try await SourceFile.open(object, on: workers)
    let sums = try await source.sums(count: size, RunningSums(algorithm, digest: digest), on: workers)
    return Payload(source, .file(source.file, offset: 0, length: size), sums)
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file has other bytes than those that were read for one PUT. For parts, the file was
  /// confirmed before the Complete.
  func confirmUnchanged(on workers: WorkerThreads) async throws {
    if !sums.isInParts { try await source.confirm(sums.content, on: workers) }
  }
}

extension Payload {
  private init(_ source: SourceFile, _ bytes: [UInt8], _ algorithm: ChecksumAlgorithm, _ digest: Bool) {
    // The sums are created here, not shared with a caller: SHA-256 is updated in place only if no other copy of it exists.
    var sums = RunningSums(algorithm, digest: digest)
    sums.update(bytes)
    let isKept = !source.isLocal || bytes.count <= Self.inMemoryLimit
    self.init(
      source, isKept ? .bytes(bytes) : .file(source.file, offset: 0, length: Int64(bytes.count)), sums.finish())
  }

  private init(_ source: SourceFile, _ body: HTTPRequest.Body, _ sums: Sums) {
    self.init(
      source: source, body: body, sums: ObjectSums(algorithm: sums.algorithm, parts: [sums], isInParts: false))
  }
}

/// The open file of one attempt, checked against the expected facts.
struct SourceFile: Sendable {
  /// The number of bytes to read before other jobs' work gets its turn and cancellation is checked.
  private static let slice: Int64 = 16 << 20
  /// The number of bytes to read at a time: few enough that they are still in the processor's cache when they are summed.
  private static let chunk = 64 << 10

  /// The maximum number of times to read a file again whose ctime keeps changing.
  private static let mostComparisons = 3

  let file: OpenFile
  let expected: FileIdentity
  /// The facts of the file when the attempt began: the expected ones, except perhaps the ctime.
  let opened: FileIdentity
  /// True if reading the file's facts does not block.
  fileprivate let isLocal: Bool

  init(opening object: ObjectToStore) throws {
    file = try object.open()
    expected = object.expected
    isLocal = object.isLocal
    opened = FileIdentity(try file.facts())
    guard opened.isUnwritten(since: expected) else { throw Self.changed(from: expected, to: opened) }
  }

  /// Opens the file on a worker thread, or at once if it is local, because that does not block.
  static func open(_ object: ObjectToStore, on workers: WorkerThreads) async throws -> SourceFile {
    if object.isLocal { return try SourceFile(opening: object) }
    return try await workers.run { try SourceFile(opening: object) }
  }

  /// True if no fact about the file has changed since it was opened, including its ctime.
  func isUntouched() throws -> Bool {
    let now = FileIdentity(try file.facts())
    guard now.isUnwritten(since: opened) else { throw Self.changed(from: opened, to: now) }
    return now == opened
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if any fact about the file has changed since it was opened.
  func confirmUntouched() throws {
    let now = FileIdentity(try file.facts())
    guard now == opened else { throw Self.changed(from: opened, to: now) }
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file has other bytes than those that were read. If only its ctime differs,
  /// the file is read again and its checksum is compared.
  private func confirm(_ content: ContentSum) throws {
    var now = opened
    for _ in 1...Self.mostComparisons {
      if try isUntouched() { return }
      let before = FileIdentity(try file.facts())
      let isSame = try content.is(of: file)
      now = FileIdentity(try file.facts())
      guard isSame else { break }
      if now == before { return }
    }
    throw Self.changed(from: opened, to: now)
  }

  /// The same without blocking: on a worker thread, unless only the facts of a local file are read.
  func confirm(_ content: ContentSum, on workers: WorkerThreads) async throws {
    if isLocal, try isUntouched() { return }
    try await workers.run(isLong: expected.size >= Job.leastLarge) { try confirm(content) }
  }

  func whole() throws -> [UInt8] {
    let bytes = try file.read(at: 0, count: Int(expected.size))
    guard bytes.count == Int(expected.size) else { throw try shortRead() }
    return bytes
  }

  /// Reads `count` bytes from an offset on worker threads and computes their checksums. The bytes are not kept.
  func sums(
    at start: Int64 = 0, count: Int64, _ running: RunningSums, on workers: WorkerThreads
  ) async throws -> Sums {
    var sums = running
    var offset = start
    while offset < start + count {
      try Task.checkCancellation()
      let end = min(offset + Self.slice, start + count)
      sums = try await workers.run(isLong: expected.size >= Job.leastLarge) { [sums, offset] in
        var sums = sums
        for position in stride(from: offset, to: end, by: Self.chunk) {
          let count = Int(min(Int64(Self.chunk), end - position))
          let bytes = try file.read(at: position, count: count)
          guard bytes.count == count else { throw try shortRead() }
          sums.update(bytes)
        }
        if end == expected.size { _ = try isUntouched() }
        return sums
      }
      offset = end
    }
    return sums.finish()
  }

  /// The failure of a file that ended before its length although its facts are unchanged. No file system should do that.
  private func shortRead() throws -> Failure {
    try confirmUntouched()
    return Failure(.transient, .fileEndedShort(path: file.path, size: expected.size))
  }

  private static func changed(from old: FileIdentity, to new: FileIdentity) -> UploadFailure {
    .changed(Failure(.fileChanged, change(from: old, to: new)), now: new)
  }

  private static func change(from old: FileIdentity, to new: FileIdentity) -> Message {
    if old.device != new.device || old.inode != new.inode { return .fileReplaced }
    if old.size != new.size { return .fileSizeChanged(before: old.size, now: new.size) }
    if old.modified != new.modified { return .fileWrittenTo(at: new.modifiedAt.rfc3339) }
    return .fileTimeSetBack
  }
}
