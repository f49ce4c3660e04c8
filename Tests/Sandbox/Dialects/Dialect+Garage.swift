extension Dialect {
  /// Garage 2.3 (deuxfleurs), by its source (main-v2 of 2026-06-30).
  static let garage: Dialect = {
    var garage = Dialect(name: "garage")
    // Never read (src/api/s3/put.rs, multipart.rs); "structurally impossible" (known-issues.md, 2026-04-15).
    garage.conditions.put = .ignored
    garage.conditions.complete = .ignored
    // multipart.rs: the answer has no header about it.
    garage.checksums.isNamedAtCreate = false
    // multipart.rs, since 2.3.0; before, the whole process ended.
    garage.checksums.isNeededWithParts = true
    // multipart.rs 664-706: without it a CRC counts as COMPOSITE, and is refused.
    garage.checksums.typeIsMissing = StorageError(
      400, "InvalidDigest", "checksum type does not correspond to algorithm specified in CreateMultipartUpload")
    // multipart.rs 762-860.
    garage.checksums.hasCount = false
    // src/api/common/signature/checksum.rs, s3/error.rs: one answer for all.
    garage.checksums.wrong = "InvalidDigest"
    // multipart.rs 553-585: the upload is no longer there.
    garage.completesAgain = false
    // No limit in s3/put.rs; none of a part in s3/multipart.rs.
    garage.mostMetadata = nil
    garage.leastPart = 1
    return garage
  }()
}
