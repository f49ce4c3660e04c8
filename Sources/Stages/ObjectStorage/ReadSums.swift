import Jobs
import Synchronization

/// The checksums of large files, kept for the next attempts, so that no file is read twice. They are valid for a file with the same
/// facts, ctime included, and only within this process.
final class ReadSums: Sendable {
  private struct File {
    let identity: FileIdentity
    var parts: [PartPlan.Part: Sums] = [:]
    /// The SHA-256 of the whole file in hex.
    var digest: String?
  }

  /// The number of parts of all files that are kept, about 10 MiB. Beyond it, all files but one are forgotten.
  private static let mostParts = 20_000

  /// By the keys of the objects.
  private let files = Mutex<[String: File]>([:])

  /// The checksums of a part; nil if they are not known.
  func sums(of part: PartPlan.Part, _ object: ObjectToStore, _ source: SourceFile) -> Sums? {
    file(object, source)?.parts[part]
  }

  /// The SHA-256 of the whole file; nil if it is not known.
  func digest(_ object: ObjectToStore, _ source: SourceFile) -> String? { file(object, source)?.digest }

  func keep(_ sums: Sums, of part: PartPlan.Part, _ object: ObjectToStore, _ source: SourceFile) {
    change(object, source) { $0.parts[part] = sums }
  }

  func keep(digest: String, _ object: ObjectToStore, _ source: SourceFile) {
    change(object, source) { $0.digest = digest }
  }

  /// Forgets a file that is stored.
  func forget(_ object: ObjectToStore) { files.withLock { $0[object.key] = nil } }

  private func file(_ object: ObjectToStore, _ source: SourceFile) -> File? {
    files.withLock { $0[object.key] }.flatMap { $0.identity == source.opened ? $0 : nil }
  }

  private func change(_ object: ObjectToStore, _ source: SourceFile, _ body: (inout File) -> Void) {
    files.withLock { files in
      var file =
        files.removeValue(forKey: object.key).flatMap { $0.identity == source.opened ? $0 : nil }
        ?? File(identity: source.opened)
      body(&file)
      if files.values.reduce(file.parts.count, { $0 + $1.parts.count + 1 }) > Self.mostParts { files = [:] }
      files[object.key] = file
    }
  }
}
