extension Dialect {
  /// MinIO, RELEASE.2025-01-20 to the last one of 2025-10-15, by its source.
  static let minIO: Dialect = {
    var minIO = Dialect(name: "minio")
    // object-multipart-handlers.go 200-216: evaluated at the beginning as well.
    minIO.conditions.create = .kept
    // erasure-multipart.go 600-608.
    minIO.checksums.isNeededWithParts = true
    // erasure-multipart.go 1279-1300, also for FULL_OBJECT (issue 20944, 2025-02-16).
    minIO.checksums.isNeededAtComplete = true
    // erasure-multipart.go 1163-1172: a CRC alone is "checksum type mismatch".
    minIO.checksums.typeIsMissing = StorageError(400, "InvalidArgument", "checksum type mismatch")
    // object-multipart-handlers.go 1020-1034, erasure-multipart.go 1101-1134: NoSuchUpload (412 with the condition).
    minIO.completesAgain = false
    // api-errors.go 1292.
    minIO.checksums.wrong = "XAmzContentChecksumMismatch"
    return minIO
  }()
}
