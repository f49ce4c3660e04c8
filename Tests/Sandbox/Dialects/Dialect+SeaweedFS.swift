extension Dialect {
  /// SeaweedFS up to 3.96, which users of that line have, by its source (3.90, 2025-06-08).
  static let seaweedFS: Dialect = {
    var seaweedFS = Dialect(name: "seaweedfs")
    // Ignored up to 3.96 (issue 7153; commit 34773c8e1 of 2025-08-22 is in 3.97).
    seaweedFS.conditions.put = .ignored
    seaweedFS.conditions.complete = .ignored
    // Neither verified nor kept up to 4.18 (commit 3efe88c71, 2026-04-03).
    for algorithm in BodyReceipt.algorithms {
      seaweedFS.checksums.object[algorithm] = .ignored
      seaweedFS.checksums.part[algorithm] = .ignored
    }
    seaweedFS.checksums.isNamedAtCreate = false
    seaweedFS.checksums.isShown = false
    // completeMultipartUpload never reads it, up to 4.44.
    seaweedFS.checksums.complete = .ignored
    // No check in weed/s3api.
    seaweedFS.mostMetadata = nil
    return seaweedFS
  }()
}
