public import Jobs
public import Linux
import OpenSSL
import Settings

/// The checksums of some bytes: that of the configured algorithm, and SHA-256 too if it is wanted.
struct Sums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// The number of bytes.
  let count: Int64
  /// SHA-256 in hex; nil if it was not computed.
  let sha256: String?
  let crc32c: CRC32C?
  let crc64nvme: CRC64NVME?
  /// The bytes of the algorithm's checksum; nil for no algorithm.
  let value: [UInt8]?
  /// The checksum in base64, as S3 writes it.
  let base64: String?

  /// The payload hash for the request's signature.
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
  /// The number of bytes so far.
  private(set) var count: Int64 = 0
  private var sha256: SHA256?
  private var crc32c: CRC32C?
  private var crc64nvme: CRC64NVME?

  /// - Parameters:
  ///   - digest: true to compute SHA-256 although the algorithm is another one.
  ///   - isPart: true if the bytes are only a part of a file. Then a checksum is included from which that of the whole file can
  ///     be computed.
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
      value: value, base64: value.map(Base64.text))
  }
}

/// The checksums of an object that is sent in parts, or by one PUT.
struct ObjectSums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// Those of its parts; of one PUT, those of all bytes.
  let parts: [Sums]
  /// False for an object that is sent by one PUT.
  var isInParts = true

  /// The object's checksum: over all its bytes or, for an object in parts, over its parts' checksums, depending on the algorithm, as in S3.
  var checksum: Checksum? {
    let extent = isInParts ? algorithm.extentInParts : .full
    let value = extent == .full ? full : composite
    return value.map { Checksum(algorithm: algorithm.rawValue, type: extent, value: $0) }
  }

  /// The SHA-256 of all bytes in hex, if it was computed for the only part.
  var sha256: String? { parts.count == 1 ? parts[0].sha256 : nil }

  /// The checksum over all bytes; nil if it cannot be computed from those of the parts.
  private var full: String? {
    if parts.count == 1 { return parts[0].base64 }
    return switch algorithm {
    case .none, .sha256: nil
    case .crc32c: Base64.text(crc32c.bytes)
    case .crc64nvme: Base64.text(crc64nvme.bytes)
    }
  }

  /// The checksum of the whole file, computed from those of its parts.
  var content: ContentSum { algorithm == .crc32c ? ContentSum(crc32c) : ContentSum(crc64nvme) }

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

  /// True if the checksum that the storage shows proves that it has these bytes: it can be compared, and it matches.
  func isProven(by shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return false }
    return shown == full || isComposite(shown)
  }

  /// True if the checksum that the storage shows can be that of these bytes: it matches, or it cannot be compared. Some storages
  /// show the one over the parts although S3 has the one over all bytes.
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

  init(_ crc: CRC32C) { self.init(.crc32c, Base64.text(crc.bytes)) }

  init(_ crc: CRC64NVME) { self.init(.crc64nvme, Base64.text(crc.bytes)) }

  /// True if the content of a file has this sum.
  ///
  /// It reads the whole file on the calling thread. Throws ``FileError``.
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
  /// True if a file has the bytes that were uploaded, according to a checksum of all of them; nil if the receipt has no such
  /// checksum.
  ///
  /// It reads the whole file on the calling thread.
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
