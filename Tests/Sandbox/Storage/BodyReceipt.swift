import FoundationEssentials
import HummingbirdCore
import Linux
import NIOCore
import OpenSSL

/// The facts about a body that has come: it was written to a file and hashed on the way.
struct BodyReceipt: Sendable {
  /// Algorithms by the end of their header's name, `x-amz-checksum-…`.
  static let algorithms = ["sha256", "crc32c", "crc64nvme"]

  private(set) var size: Int64 = 0
  /// S3's ETag is an MD5; it protects nothing.
  private var md5 = MD5()
  private var sha256 = SHA256()
  private var crc32c = CRC32C()
  private var crc64nvme = CRC64NVME()
  /// The checksums that the request came with, by algorithm; they have been checked.
  private(set) var told: [String: String] = [:]

  /// Reads the body, and refuses one that does not match its request.
  /// - Throws: ``StorageError`` if a hash or checksum does not match.
  static func receive(
    _ request: Request, _ payload: SignatureCheck.Payload, as kind: (dialect: Dialect, isPart: Bool),
    into body: ObjectFolder.Incoming, of folder: ObjectFolder
  ) async throws -> BodyReceipt {
    var receipt = BodyReceipt()
    for try await chunk in request.body {
      let bytes = Array(chunk.readableBytesView)
      receipt.update(bytes)
      try await folder.add(bytes, to: body)
    }
    try receipt.check(request, payload, kind)
    return receipt
  }

  mutating func update(_ bytes: [UInt8]) {
    size += Int64(bytes.count)
    md5.update(data: bytes)
    sha256.update(data: bytes)
    crc32c.update(bytes)
    crc64nvme.update(bytes)
  }

  var etag: String { PercentEncoding.hex(md5.finalize()) }
  var digest: String { PercentEncoding.hex(sha256.finalize()) }

  /// A checksum in base64; nil for an algorithm that the sandbox does not know.
  func checksum(_ algorithm: String) -> String? {
    switch algorithm {
    case "sha256": Data(sha256.finalize()).base64EncodedString()
    case "crc32c": Data(crc32c.bytes).base64EncodedString()
    case "crc64nvme": Data(crc64nvme.bytes).base64EncodedString()
    default: nil
    }
  }

  private mutating func check(
    _ request: Request, _ payload: SignatureCheck.Payload, _ kind: (dialect: Dialect, isPart: Bool)
  ) throws(StorageError) {
    if case .sha256(let told) = payload, told != digest {
      throw StorageError(
        400, "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
        details: ["ClientComputedContentSHA256": told, "S3ComputedContentSHA256": digest])
    }
    if let told = request.headers["content-md5"], told != Data(md5.finalize()).base64EncodedString() {
      throw StorageError(400, "BadDigest", "The content-md5 you specified did not match what we received.")
    }
    for algorithm in Self.algorithms {
      guard let value = request.headers["x-amz-checksum-" + algorithm] else { continue }
      switch kind.dialect.support(of: algorithm, inPart: kind.isPart) {
      case .refused(let error): throw error
      case .ignored: continue
      case .kept: told[algorithm] = value
      }
      guard value == checksum(algorithm) else {
        throw StorageError(
          400, kind.dialect.checksums.wrong,
          "The x-amz-checksum-\(algorithm) you specified did not match what we received.")
      }
    }
  }
}
