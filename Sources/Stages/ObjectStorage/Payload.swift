import HTTPTransfer
import Jobs
import Linux
import Settings

/// The body of one attempt with a single PUT, and the checksums of its bytes.
struct Payload: Sendable {
  /// A file of up to this number of bytes is read once, for hashing and sending. A larger one is read twice and never completely
  /// in memory.
  static let inMemoryLimit: Int64 = 256 << 10
  /// A file of up to this number of bytes is read and hashed on the calling thread if that does not block: waking a worker would
  /// cost more.
  private static let inPlaceLimit: Int64 = 16 << 10

  let source: SourceFile
  let body: HTTPRequest.Body
  let sums: Sums

  /// Opens the file, compares its facts and computes the checksums (see ``RunningSums/init(_:digest:isPart:)``). This happens on
  /// worker threads, unless the file is small and in the page cache.
  ///
  /// - Throws: the errors of opening, ``FileError``, ``UploadFailure/changed(_:now:)``, and `CancellationError` between slices.
  static func read(
    _ object: ObjectToStore, _ algorithm: ChecksumAlgorithm, digest: Bool = false, on workers: FileThreads
  ) async throws -> Payload {
    @Sendable func payload(_ source: SourceFile, _ bytes: [UInt8]) -> Payload {
      // The sums are created here, not shared with a caller: SHA-256 is updated in place only if no other copy of it exists.
      var sums = RunningSums(algorithm, digest: digest)
      sums.update(bytes)
      return Payload(source: source, body: .bytes(bytes), sums: sums.finish())
    }
    let size = object.expected.size
    if object.isLocal, size <= inPlaceLimit {
      let source = try SourceFile(opening: object)
      if let bytes = try source.file.readFromMemory(count: Int(size)) { return payload(source, bytes) }
      return try await workers.run { payload(source, try source.whole()) }
    }
    if size <= inMemoryLimit {
      return try await workers.run {
        let source = try SourceFile(opening: object)
        return payload(source, try source.whole())
      }
    }
    let source = try await workers.run { try SourceFile(opening: object) }
    let body = try source.body(count: size)
    let running = RunningSums(algorithm, digest: digest)
    return Payload(source: source, body: body, sums: try await source.sums(count: size, running, on: workers))
  }

  /// Throws ``UploadFailure/changed(_:now:)`` if the file has other bytes than those that were read.
  func confirmUnchanged(_ object: ObjectToStore, on workers: FileThreads) async throws {
    let source = self.source
    if object.isLocal, try source.isUntouched() { return }
    guard let content = sums.content else { return try await confirmUntouched(object, on: workers) }
    try await workers.run(isLong: object.expected.size >= Job.leastLarge) { try source.confirm(content) }
  }

  private func confirmUntouched(_ object: ObjectToStore, on workers: FileThreads) async throws {
    let source = self.source
    if object.isLocal { return try source.confirmUntouched() }
    try await workers.run { try source.confirmUntouched() }
  }
}
