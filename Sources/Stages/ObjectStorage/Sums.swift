import FoundationEssentials
import HTTPTransfer
public import Jobs
public import Linux
import OpenSSL
import Settings
import Synchronization

/// The checksums of some bytes: that of the configured algorithm, and SHA-256 too if it is wanted.
struct Sums: Sendable {
  let algorithm: ChecksumAlgorithm
  let count: Int64
  /// SHA-256 in hex; nil if it was not computed.
  let sha256: String?
  let crc32c: CRC32C?
  let crc64nvme: CRC64NVME?
  /// The bytes of the algorithm's checksum; nil for no algorithm.
  let value: [UInt8]?
  /// The checksum in base64, as S3 writes it.
  let base64: String?

  var payloadHash: String { algorithm == .sha256 ? sha256 ?? Self.unsigned : Self.unsigned }

  /// The checksum that identifies a file with these bytes. One of the three is always computed.
  var content: ContentSum {
    if let sha256 { return ContentSum(.sha256, sha256) }
    return crc64nvme.map(ContentSum.init) ?? ContentSum(crc32c ?? CRC32C())
  }

  static let unsigned = "UNSIGNED-PAYLOAD"
}

/// Computes ``Sums`` of bytes that arrive piece by piece.
struct RunningSums: Sendable {
  let algorithm: ChecksumAlgorithm
  private(set) var count: Int64 = 0
  private var sha256: SHA256?
  private var crc32c: CRC32C?
  private var crc64nvme: CRC64NVME?

  /// - Parameter isPart: true to include a checksum from which that of the whole file can be computed.
  init(_ algorithm: ChecksumAlgorithm, digest: Bool = false, isPart: Bool = false) {
    self.algorithm = algorithm
    if (isPart && !algorithm.isCRC) || (algorithm == .none && !digest) { crc64nvme = CRC64NVME() }
    if digest || algorithm == .sha256 { sha256 = SHA256() }
    if algorithm == .crc32c { crc32c = CRC32C() }
    if algorithm == .crc64nvme { crc64nvme = CRC64NVME() }
  }

  mutating func update(_ bytes: [UInt8]) {
    count += Int64(bytes.count)
    sha256?.update(data: bytes)
    crc32c?.update(bytes)
    crc64nvme?.update(bytes)
  }

  func finish() -> Sums {
    let digest = sha256.map { Array($0.finalize()) }
    let value: [UInt8]? =
      switch algorithm {
      case .sha256: digest
      case .crc32c: crc32c?.bytes
      case .crc64nvme: crc64nvme?.bytes
      case .none: nil
      }
    return Sums(
      algorithm: algorithm, count: count, sha256: digest.map { Hex.text($0) }, crc32c: crc32c, crc64nvme: crc64nvme,
      value: value, base64: value.map { Data($0).base64EncodedString() })
  }
}

/// The checksums of an object that is sent in parts, or by one PUT.
struct ObjectSums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// The checksums of the parts; for one PUT, of all bytes.
  let parts: [Sums]
  /// False for an object that is sent by one PUT.
  var isInParts = true
  /// The SHA-256 of all bytes in hex, if they were read for it separately.
  var digest: String?

  /// The object's checksum as in S3: over all bytes or, with SHA-256 for an object in parts, over the parts' checksums.
  var checksum: Checksum? {
    let extent = isInParts ? algorithm.extentInParts : .full
    let value = extent == .full ? full : composite
    return value.map { Checksum(algorithm: algorithm.rawValue, type: extent, value: $0) }
  }

  /// The SHA-256 of all bytes in hex; nil if it is not known.
  var sha256: String? { digest ?? (parts.count == 1 ? parts[0].sha256 : nil) }

  /// The checksum over all bytes; nil if it cannot be computed from those of the parts.
  private var full: String? {
    if parts.count == 1 { return parts[0].base64 }
    return switch algorithm {
    case .none, .sha256: nil
    case .crc32c, .crc64nvme: content.value
    }
  }

  /// The checksum that identifies the whole file, computed from those of its parts.
  var content: ContentSum {
    if parts.count == 1 { return parts[0].content }
    return algorithm == .crc32c ? ContentSum(crc32c) : ContentSum(crc64nvme)
  }

  private var crc32c: CRC32C {
    var crc = CRC32C()
    for part in parts { if let next = part.crc32c { crc.append(next, count: part.count) } }
    return crc
  }

  private var crc64nvme: CRC64NVME {
    var crc = CRC64NVME()
    for part in parts { if let next = part.crc64nvme { crc.append(next, count: part.count) } }
    return crc
  }

  /// The checksum over the parts' checksums, followed by the number of parts.
  private var composite: String? {
    guard algorithm != .none else { return nil }
    var sums = RunningSums(algorithm)
    for part in parts { sums.update(part.value ?? []) }
    return sums.finish().base64.map { "\($0)-\(parts.count)" }
  }

  /// True if the checksum that the storage shows proves that the object has these bytes: the checksum can be compared, and matches.
  func isProven(by shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return false }
    return shown == full || isComposite(shown)
  }

  /// True if the checksum that the storage shows can be that of these bytes: it matches or cannot be compared. Some storages show the
  /// checksum over the parts where S3 has that over all bytes.
  func fit(_ shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return true }
    if shown.contains("-") { return !shown.hasSuffix("-\(parts.count)") || shown == composite }
    return isComposite(shown) || full.map { $0 == shown } ?? true
  }

  /// Garage omits the number of parts (src/api/s3/multipart.rs).
  private func isComposite(_ shown: String) -> Bool { shown == composite || "\(shown)-\(parts.count)" == composite }
}

/// A checksum of all bytes of a file. It identifies the content, independently of the file's inode and times.
struct ContentSum: Hashable, Sendable {
  let algorithm: ChecksumAlgorithm
  /// SHA-256 in hex, a CRC in base64.
  let value: String

  private static let chunk = 256 << 10

  init(_ algorithm: ChecksumAlgorithm, _ value: String) { (self.algorithm, self.value) = (algorithm, value) }

  init(_ crc: CRC32C) { self.init(.crc32c, Data(crc.bytes).base64EncodedString()) }

  init(_ crc: CRC64NVME) { self.init(.crc64nvme, Data(crc.bytes).base64EncodedString()) }

  /// Reads the whole file on the calling thread.
  func `is`(of file: OpenFile) throws(FileError) -> Bool {
    var sums = RunningSums(algorithm)
    while true {
      let bytes = try file.read(at: sums.count, count: Self.chunk)
      guard !bytes.isEmpty else { return sums.finish().content == self }
      sums.update(bytes)
    }
  }
}

extension UploadReceipt {
  /// True if a file has the uploaded bytes, by a checksum of all of them; nil if there is none. Reads the file on the calling thread.
  public func isOf(_ file: OpenFile) throws(FileError) -> Bool? { try content?.is(of: file) }

  private var content: ContentSum? {
    if let sha256 { return ContentSum(.sha256, sha256) }
    if let crc64nvme { return ContentSum(.crc64nvme, crc64nvme) }
    guard let checksum, checksum.type == .full, let algorithm = ChecksumAlgorithm(rawValue: checksum.algorithm),
      algorithm.isCRC
    else { return nil }
    return ContentSum(algorithm, checksum.value)
  }
}

extension OpenFile {
  /// True if the file's bytes have this SHA-256 in hex. It reads the whole file on the calling thread.
  public func has(sha256: String) throws(FileError) -> Bool { try ContentSum(.sha256, sha256).is(of: self) }
}

extension ChecksumAlgorithm {
  /// S3's name for the algorithm, as in `x-amz-checksum-algorithm` and in S3's XML.
  var name: String? { self == .none ? nil : rawValue.uppercased() }

  var header: String {
    switch self {
    case .sha256: "x-amz-checksum-sha256"
    case .crc32c: "x-amz-checksum-crc32c"
    case .crc64nvme: "x-amz-checksum-crc64nvme"
    case .none: "x-amz-checksum-none"
    }
  }

  /// True for a CRC, which detects only accidental damage.
  var isCRC: Bool { self == .crc32c || self == .crc64nvme }

  var element: String { "Checksum" + (name ?? "") }

  var typeInParts: String { extentInParts == .full ? "FULL_OBJECT" : "COMPOSITE" }

  /// The bytes that S3's checksum of an object in parts covers: all bytes, or the checksums of the parts.
  var extentInParts: Checksum.Extent { self == .sha256 ? .composite : .full }
}

/// Checksums as headers ("Checking object integrity in Amazon S3" in the S3 user guide).
extension S3Bucket {
  /// The header with the checksum of the sent bytes, by the configured algorithm alone: a storage may refuse another. For an object with a
  /// lock, S3 also requires the header that names the algorithm ("PutObject" in the Amazon S3 API reference).
  func checksumHeaders(_ sums: Sums) -> [HTTPHeader] {
    guard let base64 = sums.base64 else { return [] }
    let header = HTTPHeader(sums.algorithm.header, base64)
    guard templates.hasLock, let name = sums.algorithm.name else { return [header] }
    return [header, HTTPHeader("x-amz-sdk-checksum-algorithm", name)]
  }
}

extension StorageSettings {
  /// The checksum algorithm and the encryption of an upload in parts, as they are recorded with the upload.
  /// - Parameter isWhole: true if the storage has said that it accepts the checksum of the whole object at the end. Many storages
  ///   accept only those of the parts, and refuse the other one after all bytes are sent.
  func uploadForm(encryption: String? = nil, isWhole: Bool) -> String {
    checksum.rawValue + (encryption.map { " " + $0 } ?? "")
      + (isWhole ? MultipartUpload.wholeMark : "")
  }

  /// True if an upload was begun with the checksum and the encryption of the current configuration.
  func isOfForm(_ upload: MultipartUpload, encryption: String? = nil) -> Bool {
    [true, false].contains { uploadForm(encryption: encryption, isWhole: $0) == upload.checksum }
  }
}

extension MultipartUpload {
  fileprivate static let wholeMark = " whole"

  /// True if the request that completes it may include the checksum of the whole object.
  var takesWholeChecksum: Bool { checksum.hasSuffix(Self.wholeMark) }
}

/// The checksums of large files, kept for the next attempts, so that no file is read twice. They are valid for a file with the same
/// facts, ctime included, and only within this process.
final class ReadSums: Sendable {
  private struct File {
    let identity: FileIdentity
    var parts: [PartPlan.Part: Sums] = [:]
    var digest: String?
  }

  /// The maximum number of kept parts of all files, about 10 MiB. Beyond it, all files but one are forgotten.
  private static let mostParts = 20_000

  private let files = Mutex<[String: File]>([:])

  func sums(of part: PartPlan.Part, _ object: ObjectToStore, _ source: SourceFile) -> Sums? {
    file(object, source)?.parts[part]
  }

  func digest(_ object: ObjectToStore, _ source: SourceFile) -> String? { file(object, source)?.digest }

  func keep(_ sums: Sums, of part: PartPlan.Part, _ object: ObjectToStore, _ source: SourceFile) {
    change(object, source) { $0.parts[part] = sums }
  }

  func keep(digest: String, _ object: ObjectToStore, _ source: SourceFile) {
    change(object, source) { $0.digest = digest }
  }

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
