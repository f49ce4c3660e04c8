import FoundationEssentials
import Jobs
import OpenSSL
import XML

extension ModelStorage {
  mutating func complete(
    _ request: FarRequest, _ target: S3Target, _ id: String, at now: Duration
  ) throws(S3Error) -> FarAnswer {
    try checkCondition(request, target.key, counts: options.keepsConditionsOfComplete)
    let upload = try upload(id, target)
    if let hash = request[header: "x-amz-content-sha256"], hash.utf8.count == 64, hash != Piece(request.body).sha256 {
      throw S3Error(400, "XAmzContentSHA256Mismatch", "The x-amz-content-sha256 does not match what was computed.")
    }
    let pieces = try chosen(request.body, upload)
    var elements = [("Bucket", options.bucket), ("Key", target.key)]
    var checksums: [FarHeader] = []
    if let algorithm = upload.algorithm {
      let full = upload.isComposite ? nil : Piece.fullChecksum(algorithm, of: pieces)
      if let told = request[header: algorithm.header], let full, told != full {
        throw S3Error(400, "BadDigest", "The \(algorithm.rawValue) did not match the calculated checksum.")
      }
      if let value = full ?? Self.composite(algorithm, pieces) {
        checksums.append(FarHeader(algorithm.header, value))
        elements.append((algorithm.element, value))
        elements.append(("ChecksumType", upload.isComposite ? "COMPOSITE" : "FULL_OBJECT"))
      }
    }
    let sums = pieces.flatMap { Self.bytes(ofHex: $0.md5) }
    let etag = etag(of: Hex.text(MD5.hash(data: sums))) + "-\(pieces.count)"
    let stored = store(
      ModelObject(
        etag: etag, pieces: pieces, metadata: upload.metadata, headers: upload.headers, checksums: checksums),
      under: target.key, at: now)
    uploads[id] = nil
    var answer = Self.document("CompleteMultipartUploadResult", elements + [("ETag", "\"\(etag)\"")])
    answer.headers += stored.marks
    return answer
  }

  private func chosen(_ body: [UInt8], _ upload: ModelUpload) throws(S3Error) -> [Piece] {
    guard let root = XMLElement.parse(body, limit: 4 << 20), root.name == "CompleteMultipartUpload" else {
      throw S3Error(400, "MalformedXML", "The XML you provided was not well-formed.")
    }
    var pieces: [Piece] = []
    var last = 0
    for element in root.children where element.name == "Part" {
      guard let number = element["PartNumber"].flatMap({ Int($0.text) }), let etag = element["ETag"]?.text else {
        throw S3Error(400, "MalformedXML", "The XML you provided was not well-formed.")
      }
      guard number > last else { throw S3Error(400, "InvalidPartOrder", "The list of parts was not in order.") }
      last = number
      guard let part = upload.parts.first(where: { $0.number == number }),
        etag.filter({ $0 != "\"" }) == part.piece.md5
      else { throw S3Error(400, "InvalidPart", "One or more of the specified parts could not be found.") }
      if let algorithm = upload.algorithm {
        let told = element[algorithm.element]?.text
        guard told != nil || !upload.isComposite else {
          throw S3Error(400, "InvalidRequest", "The complete request must include the checksum for each part.")
        }
        guard told == nil || told == part.piece.checksum(algorithm) else {
          throw S3Error(400, "InvalidPart", "The checksum of part \(number) is another one.")
        }
      }
      pieces.append(part.piece)
    }
    guard !pieces.isEmpty else { throw S3Error(400, "MalformedXML", "There is no part in the list.") }
    guard pieces.dropLast().allSatisfy({ $0.size >= 5 << 20 }) else {
      throw S3Error(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
    }
    return pieces
  }

  private static func composite(_ algorithm: ChecksumName, _ pieces: [Piece]) -> String? {
    guard algorithm == .sha256 else { return nil }
    let sums = pieces.flatMap { bytes(ofHex: $0.sha256) }
    return Data(SHA256.hash(data: sums)).base64EncodedString() + "-\(pieces.count)"
  }

  private static func bytes(ofHex text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { Hex.value(of: $0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
