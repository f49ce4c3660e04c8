import Jobs

/// The body of an object or a part: checked against all that its request says about it.
struct S3Body {
  let piece: Piece
  /// The checksums that the request came with; they were right.
  let told: [ChecksumName]

  init(_ request: FarRequest, options: ModelStorage.Options) throws(S3Error) {
    let hash = request[header: "x-amz-content-sha256"]
    piece = Piece(request.body)
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
      guard let value = request[header: name.header] else { continue }
      guard value == piece.checksum(name) else {
        throw S3Error(400, "BadDigest", "The \(name.header) you specified did not match what we received.")
      }
      told.append(name)
    }
    self.told = told
  }
}
