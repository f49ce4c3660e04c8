extension Dialect {
  /// Google Cloud Storage by its XML API with HMAC keys.
  static let gcs: Dialect = {
    var gcs = Dialect(name: "gcs")
    // Accepted, and the object is overwritten: measured by vdavid/cmdr (2026-10-02) and Altinity/ClickHouse (2026-07-03), at PUT and
    // Complete. "Preconditions are not supported" in uploads in parts: Google's page on them.
    gcs.conditions.put = .ignored
    gcs.conditions.complete = .ignored
    // A wrong crc32 is taken with 200 (vdavid/cmdr, 2026-10-02): x-amz-checksum-* have no counterpart there.
    for algorithm in BodyReceipt.algorithms {
      gcs.checksums.object[algorithm] = .ignored
      gcs.checksums.part[algorithm] = .ignored
    }
    gcs.checksums.isNamedAtCreate = false
    gcs.checksums.isShown = false
    // langfuse/langfuse PR 13280, 2026-04-21: a checksum with the end is 412, though no condition was sent.
    gcs.checksums.complete = .refused(.precondition)
    return gcs
  }()
}
