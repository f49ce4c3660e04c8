import Crypto
import FoundationEssentials
import HTTPTransfer
import Jobs
import LinuxFiles

/// What was reckoned of bytes while they were read: their checksum, and their SHA-256 where that is asked for besides.
struct Sums: Sendable {
  let algorithm: ChecksumAlgorithm
  /// How many bytes.
  let count: Int64
  let sha256: SHA256.Digest?
  let crc32c: CRC32C?
  let crc64nvme: CRC64NVME?

  /// The checksum's bytes; nil for none.
  var value: [UInt8]? {
    switch algorithm {
    case .sha256: sha256.map { Array($0) }
    case .crc32c: crc32c?.bytes
    case .crc64nvme: crc64nvme?.bytes
    case .none: nil
    }
  }

  /// The checksum as S3 has it.
  var base64: String? { value.map { Data($0).base64EncodedString() } }

  /// What a request says of its payload when it is signed.
  var payloadHash: String {
    guard algorithm == .sha256, let sha256 else { return Self.unsigned }
    return Hex.text(sha256)
  }

  /// The sum by which a file with these bytes is known again; nil where none was reckoned.
  var content: ContentSum? {
    if let sha256 { return .sha256(Hex.text(sha256)) }
    return crc64nvme.map(ContentSum.init) ?? crc32c.map(ContentSum.init)
  }

  static let unsigned = "UNSIGNED-PAYLOAD"

  /// The checksum for the head of a request.
  var headers: [HTTPHeader] { base64.map { [HTTPHeader(algorithm.header, $0)] } ?? [] }
}

/// Reckons ``Sums`` of bytes that come one after the other.
struct RunningSums: Sendable {
  private let algorithm: ChecksumAlgorithm
  private var count: Int64 = 0
  private var sha256: SHA256?
  private var crc32c: CRC32C?
  private var crc64nvme: CRC64NVME?

  /// - Parameters:
  ///   - digest: whether SHA-256 is reckoned although the algorithm is another one.
  ///   - isPart: whether the bytes are only a part of a file: then what is reckoned yields a sum of the whole besides.
  init(_ algorithm: ChecksumAlgorithm, digest: Bool = false, isPart: Bool = false) {
    self.algorithm = algorithm
    if isPart || (algorithm == .none && !digest) { crc64nvme = CRC64NVME() }
    if digest || algorithm == .sha256 { sha256 = SHA256() }
    if algorithm == .crc32c { crc32c = CRC32C() }
    if algorithm == .crc64nvme { crc64nvme = CRC64NVME() }
  }

  /// Whether anything is reckoned, so that the bytes have to be read for it.
  var needsBytes: Bool { sha256 != nil || crc32c != nil || crc64nvme != nil }

  mutating func update(_ bytes: [UInt8]) {
    count += Int64(bytes.count)
    sha256?.update(data: bytes)
    crc32c?.update(bytes)
    crc64nvme?.update(bytes)
  }

  func finish() -> Sums {
    Sums(algorithm: algorithm, count: count, sha256: sha256?.finalize(), crc32c: crc32c, crc64nvme: crc64nvme)
  }
}

/// The sums of an object that goes in parts.
struct ObjectSums: Sendable {
  let algorithm: ChecksumAlgorithm
  let parts: [Sums]

  /// The object's checksum: over all its bytes, or over its parts' checksums, as S3 has it for the algorithm.
  var checksum: Checksum? {
    let value = algorithm.extentInParts == .full ? full : composite
    return value.map { Checksum(algorithm: algorithm.rawValue, type: algorithm.extentInParts, value: $0) }
  }

  /// Over all bytes; nil where the parts' do not yield it.
  private var full: String? {
    switch algorithm {
    case .none: return nil
    case .sha256: return parts.count == 1 ? parts[0].base64 : nil
    case .crc32c:
      var crc = CRC32C()
      for part in parts { if let next = part.crc32c { crc.append(next, count: part.count) } }
      return Data(crc.bytes).base64EncodedString()
    case .crc64nvme:
      var crc = CRC64NVME()
      for part in parts { if let next = part.crc64nvme { crc.append(next, count: part.count) } }
      return Data(crc.bytes).base64EncodedString()
    }
  }

  /// The sum of the whole file, of sums that were reckoned of parts.
  var content: ContentSum {
    var crc = CRC64NVME()
    for part in parts { if let next = part.crc64nvme { crc.append(next, count: part.count) } }
    return ContentSum(crc)
  }

  /// Over the parts' checksums, with their number behind it.
  private var composite: String? {
    guard algorithm != .none else { return nil }
    var sums = RunningSums(algorithm)
    for part in parts { sums.update(part.value ?? []) }
    return sums.finish().base64.map { "\($0)-\(parts.count)" }
  }

  /// Whether a checksum that the storage shows proves that it has these bytes: one that can be compared, and fits.
  func isProven(by shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return false }
    return shown == full || shown == composite
  }

  /// Whether a checksum that the storage shows is that of these bytes; some show it over the parts where S3 has it over
  /// all bytes. One that cannot be compared is.
  func fit(_ shown: String?) -> Bool {
    guard let shown, algorithm != .none else { return true }
    if shown.contains("-") { return !shown.hasSuffix("-\(parts.count)") || shown == composite }
    return full.map { $0 == shown } ?? true
  }
}
