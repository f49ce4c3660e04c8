import Jobs
import Linux
import OpenSSL
import Settings

/// The sums of bytes, computed while they were read: their checksum, and also their SHA-256 if that is wanted.
struct Sums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// The number of bytes.
  let count: Int64
  /// SHA-256 in hex and in base64; nil if it was not computed.
  let sha256: String?
  let sha256Base64: String?
  let crc32c: CRC32C?
  let crc64nvme: CRC64NVME?
  /// The checksum's bytes; nil for none.
  let value: [UInt8]?
  /// The checksum in base64, as S3 writes it.
  let base64: String?

  init(
    algorithm: ChecksumAlgorithm, count: Int64, sha256: SHA256.Digest?, crc32c: CRC32C?, crc64nvme: CRC64NVME?
  ) {
    self.algorithm = algorithm
    self.count = count
    let digest = sha256.map { Array($0) }
    self.sha256 = digest.map { Hex.text($0) }
    self.crc32c = crc32c
    self.crc64nvme = crc64nvme
    value =
      switch algorithm {
      case .sha256: digest
      case .crc32c: crc32c?.bytes
      case .crc64nvme: crc64nvme?.bytes
      case .none: nil
      }
    base64 = value.map(Base64.text)
    sha256Base64 = algorithm == .sha256 ? base64 : digest.map(Base64.text)
  }

  /// The payload hash that a request is signed with.
  var payloadHash: String { algorithm == .sha256 ? sha256 ?? Self.unsigned : Self.unsigned }

  /// The sum that identifies a file with these bytes; nil if none was computed.
  var content: ContentSum? {
    if let sha256 { return .sha256(sha256) }
    return crc64nvme.map(ContentSum.init) ?? crc32c.map(ContentSum.init)
  }

  static let unsigned = "UNSIGNED-PAYLOAD"
}

/// Computes ``Sums`` of bytes that come one after the other.
struct RunningSums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// The number of bytes so far.
  private(set) var count: Int64 = 0
  private var sha256: SHA256?
  private var crc32c: CRC32C?
  private var crc64nvme: CRC64NVME?

  /// - Parameters:
  /// - digest: true if SHA-256 is computed although the algorithm is another one.
  /// - isPart: true if the bytes are only a part of a file: then the result can also give a sum of the whole file.
  init(_ algorithm: ChecksumAlgorithm, digest: Bool = false, isPart: Bool = false) {
    self.algorithm = algorithm
    if (isPart && !algorithm.isCRC) || (algorithm == .none && !digest) { crc64nvme = CRC64NVME() }
    if digest || algorithm == .sha256 { sha256 = SHA256() }
    if algorithm == .crc32c { crc32c = CRC32C() }
    if algorithm == .crc64nvme { crc64nvme = CRC64NVME() }
  }

  /// True if anything is computed, so that the bytes have to be read for it.
  var needsBytes: Bool { sha256 != nil || crc32c != nil || crc64nvme != nil }

  mutating func update(_ bytes: [UInt8]) {
    count += Int64(bytes.count)
    sha256?.update(data: bytes)
    crc32c?.update(bytes)
    crc64nvme?.update(bytes)
  }

  /// Goes on with bytes that are being sent. SHA-256 is not computed this way.
  mutating func update(_ bytes: RawSpan) {
    count += Int64(bytes.byteCount)
    crc32c?.update(bytes)
    crc64nvme?.update(bytes)
  }

  func finish() -> Sums {
    Sums(algorithm: algorithm, count: count, sha256: sha256?.finalize(), crc32c: crc32c, crc64nvme: crc64nvme)
  }
}

/// The sums of an object that is sent in parts.
struct ObjectSums: Sendable {
  let algorithm: ChecksumAlgorithm
  let parts: [Sums]

  /// The object's checksum: over all its bytes, or over its parts' checksums, as S3 computes it for the algorithm.
  var checksum: Checksum? {
    let value = algorithm.extentInParts == .full ? full : composite
    return value.map { Checksum(algorithm: algorithm.rawValue, type: algorithm.extentInParts, value: $0) }
  }

  /// The checksum over all bytes; nil if the parts' checksums do not give it.
  private var full: String? {
    switch algorithm {
    case .none: return nil
    case .sha256: return parts.count == 1 ? parts[0].base64 : nil
    case .crc32c: return Base64.text(crc32c.bytes)
    case .crc64nvme: return Base64.text(crc64nvme.bytes)
    }
  }

  /// The sum of the whole file, computed from the sums of its parts.
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

  /// The checksum over the parts' checksums, followed by their number.
  private var composite: String? {
    guard algorithm != .none else { return nil }
    var sums = RunningSums(algorithm)
    for part in parts { sums.update(part.value ?? []) }
    return sums.finish().base64.map { "\($0)-\(parts.count)" }
  }

  /// True if a checksum that the storage shows proves that it has these bytes: it can be compared, and it matches.
  func isProven(by shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return false }
    return shown == full || isComposite(shown)
  }

  /// True if a checksum that the storage shows is that of these bytes. Some storages show it over the parts although S3 has it
  /// over all bytes. Also true for a checksum that cannot be compared.
  func fit(_ shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return true }
    if shown.contains("-") { return !shown.hasSuffix("-\(parts.count)") || shown == composite }
    return isComposite(shown) || full.map { $0 == shown } ?? true
  }

  /// Garage leaves the number of parts out (src/api/s3/multipart.rs).
  private func isComposite(_ shown: String) -> Bool { shown == composite || "\(shown)-\(parts.count)" == composite }
}
