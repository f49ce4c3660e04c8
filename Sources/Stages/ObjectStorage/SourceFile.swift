import HTTPTransfer
import Jobs
import Linux
import Messages

/// The open file of one attempt, checked against the expected facts.
struct SourceFile: Sendable {
  /// The number of bytes to read before other jobs' work gets its turn and cancellation is checked.
  private static let slice: Int64 = 16 << 20
  /// The number of bytes to read at a time: few enough that they are still in the processor's cache when they are summed.
  private static let chunk: Int64 = 128 << 10

  /// The maximum number of times to read a file again whose ctime keeps changing.
  private static let mostComparisons = 3

  let file: OpenFile
  let expected: FileIdentity
  /// The facts of the file when the attempt began: the expected ones, except perhaps the ctime.
  let opened: FileIdentity

  /// Opens the file and compares its facts, on the calling thread.
  ///
  /// - Throws: the errors of opening, ``FileError``, and ``UploadFailure/changed(_:now:)``.
  init(opening object: ObjectToStore) throws {
    file = try object.open()
    expected = object.expected
    // It may be open for long.
    opened = FileIdentity(try file.facts())
    guard opened.isUnwritten(since: expected) else { throw Self.changed(from: expected, to: opened) }
  }

  /// True if no fact about the file has changed since it was opened, including its ctime.
  ///
  /// Throws ``UploadFailure/changed(_:now:)`` if it was written to.
  func isUntouched() throws -> Bool {
    let now = FileIdentity(try file.facts())
    guard now.isUnwritten(since: opened) else { throw Self.changed(from: opened, to: now) }
    return now == opened
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if any fact about the file has changed since it was opened. It is used when the
  /// storage received bytes that do not match their hash.
  func confirmUntouched() throws {
    let now = FileIdentity(try file.facts())
    guard now == opened else { throw Self.changed(from: opened, to: now) }
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file has other bytes than those that were read. If only its ctime differs,
  /// the file is read again and its checksum is compared.
  func confirm(_ content: ContentSum) throws {
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

  /// The same on a worker thread.
  func confirm(_ content: ContentSum, on workers: WorkerThreads) async throws {
    try await workers.run(isLong: expected.size >= Job.leastLarge) { try confirm(content) }
  }

  /// Returns all bytes of a small file.
  func whole() throws -> [UInt8] {
    let bytes = try file.read(at: 0, count: Int(expected.size))
    guard bytes.count == Int(expected.size) else { throw try shortRead() }
    return bytes
  }

  /// The bytes to send.
  func body(at offset: Int64 = 0, count: Int64) throws(TransferError) -> HTTPRequest.Body {
    .file(try BodyFile(duplicating: file.descriptor.number), offset: offset, length: count)
  }

  /// Reads `count` bytes from an offset on worker threads and computes their checksums. The bytes are not kept.
  ///
  /// - Throws: ``FileError``, ``UploadFailure/changed(_:now:)``, and `CancellationError` between slices.
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
        var position = offset
        var bytes = [UInt8](repeating: 0, count: Int(min(Self.chunk, end - position)))
        while position < end {
          if end - position < bytes.count { bytes.removeLast(bytes.count - Int(end - position)) }
          let count = try file.read(at: position, into: &bytes)
          guard count == bytes.count else { throw try shortRead() }
          sums.update(bytes)
          position += Int64(count)
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

extension FileIdentity {
  init(_ facts: FileFacts) {
    self.init(
      device: facts.device, inode: facts.inode, size: facts.size, modified: facts.modified, changed: facts.changed)
  }
}
