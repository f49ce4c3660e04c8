import Crypto
import HTTPTransfer
import Jobs
import LinuxFiles

/// The bytes of one attempt: an open file that has the facts expected of it, and their hash.
struct Payload: Sendable {
  /// Up to so many bytes are read once, for hash and sending; more are read twice and never held.
  static let inMemoryLimit: Int64 = 256 << 10
  /// Up to so many bytes are read and hashed in place where that needs no waiting: waking a worker costs more.
  private static let inPlaceLimit: Int64 = 16 << 10
  /// How much is hashed before another job's work gets its turn and a cancelled task is noticed.
  private static let slice: Int64 = 16 << 20
  private static let chunk = 256 << 10

  let file: OpenFile
  let body: HTTPRequest.Body
  let sha256: SHA256.Digest

  /// Opens, compares and hashes, all on worker threads.
  ///
  /// Throws what opening throws, ``FileError``, ``UploadFailure/changed(_:now:)``, and `CancellationError` between slices.
  static func read(_ object: ObjectToStore, on workers: WorkerThreads) async throws -> Payload {
    let expected = object.expected
    let open = object.open
    if object.isLocal, expected.size <= inPlaceLimit {
      let file = try open()
      try confirm(file, is: expected)
      if let bytes = try file.readFromMemory(count: Int(expected.size)) { return Payload(file, bytes) }
      return try await workers.run { try Payload(file, whole(file, expected)) }
    }
    if expected.size <= inMemoryLimit {
      return try await workers.run {
        let file = try open()
        try confirm(file, is: expected)
        return try Payload(file, whole(file, expected))
      }
    }
    let file = try await workers.run {
      let file = try open()
      try confirm(file, is: expected)
      return file
    }
    let body = try BodyFile(duplicating: file.descriptor.number)
    let digest = try await hash(file, expected, on: workers)
    return Payload(file: file, body: .file(body, offset: 0, length: expected.size), sha256: digest)
  }

  init(file: OpenFile, body: HTTPRequest.Body, sha256: SHA256.Digest) {
    self.file = file
    self.body = body
    self.sha256 = sha256
  }

  private init(_ file: OpenFile, _ bytes: [UInt8]) {
    self.init(file: file, body: .bytes(bytes), sha256: SHA256.hash(data: bytes))
  }

  private static func whole(_ file: OpenFile, _ expected: FileIdentity) throws -> [UInt8] {
    let bytes = try file.read(at: 0, count: Int(expected.size))
    guard bytes.count == Int(expected.size) else { throw try shortRead(file, expected) }
    return bytes
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file is no longer what it was expected to be.
  func confirmUnchanged(_ object: ObjectToStore, on workers: WorkerThreads) async throws {
    let file = self.file
    if object.isLocal { return try Self.confirm(file, is: object.expected) }
    try await workers.run { try Self.confirm(file, is: object.expected) }
  }

  private static func hash(
    _ file: OpenFile, _ expected: FileIdentity, on workers: WorkerThreads
  ) async throws -> SHA256.Digest {
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < expected.size {
      try Task.checkCancellation()
      let end = min(offset + slice, expected.size)
      hash = try await workers.run { [hash, offset] in
        var hash = hash
        var position = offset
        while position < end {
          let bytes = try file.read(at: position, count: Int(min(Int64(chunk), end - position)))
          guard !bytes.isEmpty else { throw try shortRead(file, expected) }
          hash.update(data: bytes)
          position += Int64(bytes.count)
        }
        if end == expected.size { try confirm(file, is: expected) }
        return hash
      }
      offset = end
    }
    return hash.finalize()
  }

  private static func confirm(_ file: OpenFile, is expected: FileIdentity) throws {
    let now = FileIdentity(try file.facts())
    guard now != expected else { return }
    throw UploadFailure.changed(Failure(.fileChanged, change(from: expected, to: now)), now: now)
  }

  /// The file ended before its length although its facts are the same: nothing that a file system should do.
  private static func shortRead(_ file: OpenFile, _ expected: FileIdentity) throws -> Failure {
    try confirm(file, is: expected)
    return Failure(.transient, "the file \(file.path) ended before its length of \(expected.size) bytes")
  }

  private static func change(from old: FileIdentity, to new: FileIdentity) -> String {
    if old.device != new.device || old.inode != new.inode { return "the file was replaced by another one" }
    if old.size != new.size { return "the file changed: it had \(old.size) bytes and has \(new.size) now" }
    if old.modified != new.modified { return "the file was written to at \(new.modifiedAt.rfc3339)" }
    return "the file was changed: its ctime is another"
  }
}

extension FileIdentity {
  init(_ facts: FileFacts) {
    self.init(
      device: facts.device, inode: facts.inode, size: facts.size, modified: facts.modified, changed: facts.changed)
  }
}
