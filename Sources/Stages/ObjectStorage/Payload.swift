import HTTPTransfer
import Jobs
import Linux
import Settings

/// The body of one attempt with a single PUT, and the checksums of its bytes.
struct Payload: Sendable {
  /// A file of up to this number of bytes on a disk of this machine is read once, for hashing and sending. A larger one is read twice
  /// and never completely in memory: hundreds may be in flight, and clearing memory for each costs more than a second reading.
  static let inMemoryLimit: Int64 = 64 << 10
  /// The same for a file on another host, which may hang: bytes in memory are sent without it.
  static let inMemoryLimitElsewhere: Int64 = 256 << 10
  /// A file of up to this number of bytes is read and hashed on the calling thread if that does not block: waking a worker would
  /// cost more.
  static let inPlaceLimit: Int64 = 16 << 10

  let source: SourceFile
  let body: HTTPRequest.Body
  let sums: Sums

  /// The checksums of the resulting object.
  var object: ObjectSums { ObjectSums(algorithm: sums.algorithm, parts: [sums], isInParts: false) }

  /// Opens the file, compares its facts and computes the checksums (see ``RunningSums/init(_:digest:isPart:)``). This happens on
  /// worker threads, unless the file is small and in the page cache.
  ///
  /// - Throws: the errors of opening, ``FileError``, ``UploadFailure/changed(_:now:)``, and `CancellationError` between slices.
  static func read(
    _ object: ObjectToStore, _ algorithm: ChecksumAlgorithm, digest: Bool = false, on workers: WorkerThreads
  ) async throws -> Payload {
    let size = object.expected.size
    if isInPlace(object) {
      let source = try SourceFile(opening: object)
      if let bytes = try source.file.readFromMemory(count: Int(size)) {
        return Payload(source, bytes, algorithm, digest)
      }
      return try await workers.run { Payload(source, try source.whole(), algorithm, digest) }
    }
    if size <= (object.isLocal ? inMemoryLimit : inMemoryLimitElsewhere) {
      return try await workers.run {
        let source = try SourceFile(opening: object)
        return Payload(source, try source.whole(), algorithm, digest)
      }
    }
    let source = try await workers.run { try SourceFile(opening: object) }
    let body = try source.body(count: size)
    let running = RunningSums(algorithm, digest: digest)
    return Payload(source: source, body: body, sums: try await source.sums(count: size, running, on: workers))
  }

  /// True if opening and reading the object's file on the calling thread does not block.
  static func isInPlace(_ object: ObjectToStore) -> Bool { object.isLocal && object.expected.size <= inPlaceLimit }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file has other bytes than those that were read.
  func confirmUnchanged(_ object: ObjectToStore, on workers: WorkerThreads) async throws {
    if object.isLocal, try source.isUntouched() { return }
    try await source.confirm(sums.content, on: workers)
  }
}

extension Payload {
  private init(_ source: SourceFile, _ bytes: [UInt8], _ algorithm: ChecksumAlgorithm, _ digest: Bool) {
    // The sums are created here, not shared with a caller: SHA-256 is updated in place only if no other copy of it exists.
    var sums = RunningSums(algorithm, digest: digest)
    sums.update(bytes)
    self.init(source: source, body: .bytes(bytes), sums: sums.finish())
  }
}
