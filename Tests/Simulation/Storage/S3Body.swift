import Jobs

/// The body of an object or a part: checked against all that its request says about it.
struct S3Body {
  let piece: Piece
  /// The checksums that the request came with; they were right.
  let told: [ChecksumName]

  init(_ request: FarRequest, options: ModelStorage.Options) throws(S3Error) {
    let hash = request[header: "x-amz-content-sha256"]
    var trailer: FarHeader?
    if hash == "STREAMING-UNSIGNED-PAYLOAD-TRAILER" {
      guard options.knowsChecksums else { throw S3Error(501, "NotImplemented", "The model takes no trailers.") }
      let chunks = try ChunkedBytes(request)
      piece = Piece(chunks.bytes)
      trailer = chunks.trailer
    } else {
      piece = Piece(request.body)
    }
    if let hash, hash.utf8.count == 64, hash != piece.sha256 {
      throw S3Error(400, "XAmzContentSHA256Mismatch", "The x-amz-content-sha256 does not match what was computed.")
    }
    if let told = request[header: "Content-MD5"], told != piece.contentMD5 {
      throw S3Error(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
    }
    guard options.knowsChecksums else {
      told = []
      return
    }
    var told: [ChecksumName] = []
    for name in ChecksumName.allCases {
      let value = trailer?.name == name.header ? trailer?.value : request[header: name.header]
      guard let value else { continue }
      guard value == piece.checksum(name) else {
        throw S3Error(400, "BadDigest", "The \(name.header) you specified did not match what we received.")
      }
      told.append(name)
    }
    self.told = told
  }
}

/// A body in chunks with a checksum behind it ("Signature calculations for trailing headers" in the S3 API reference).
private struct ChunkedBytes {
  private(set) var bytes: [UInt8] = []
  private(set) var trailer: FarHeader?

  private static let incomplete = S3Error(400, "IncompleteBody", "The chunks do not hold what was announced.")

  init(_ request: FarRequest) throws(S3Error) {
    var rest = request.body[...]
    while true {
      guard let size = Self.line(&rest).flatMap({ Int($0, radix: 16) }), size >= 0, rest.count >= size else {
        throw Self.incomplete
      }
      if size == 0 { break }
      bytes += rest.prefix(size)
      rest = rest.dropFirst(size)
      guard Self.line(&rest) == "" else { throw Self.incomplete }
    }
    if let pair = Self.line(&rest)?.split(separator: ":", maxSplits: 1), pair.count == 2 {
      trailer = FarHeader(pair[0].lowercased(), String(pair[1].drop { $0 == " " }))
    }
    guard trailer?.name == request[header: "x-amz-trailer"]?.lowercased(),
      request[header: "x-amz-decoded-content-length"].flatMap({ Int($0) }) == bytes.count
    else { throw Self.incomplete }
  }

  /// Takes the bytes up to a line end away; nil if there is none.
  private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.firstRange(of: [0x0D, 0x0A]) else { return nil }
    let text = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
    rest = rest[end.upperBound...]
    return text
  }
}
