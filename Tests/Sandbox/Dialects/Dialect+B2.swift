extension Dialect {
  /// Backblaze B2 by its S3 API.
  static let b2: Dialect = {
    var b2 = Dialect(name: "b2")
    // 501 with the first PUT: four reports of January to September 2026 (lance-format/lance issue 5614; gordonmurray/firnflow, 2026-04-17;
    // sathinduga/obsidian-s3-sync-and-backup issue 78, measured 2026-07-17).
    b2.conditions.put = .refused(notImplemented("If-None-Match"))
    // No source; the same server answers.
    b2.conditions.create = .refused(notImplemented("If-None-Match"))
    b2.conditions.complete = .refused(notImplemented("If-None-Match"))
    // Until July 2025 each checksum header was 400 InvalidArgument (iterate-ch/cyberduck issue 16107, raw answer). SHA-256 is taken since
    // (backblaze-labs/genblaze, 2026-08-01). Of crc32c and crc64nvme nothing is known since: taken as before.
    for algorithm in ["crc32c", "crc64nvme"] {
      let refusal = unsupported("x-amz-checksum-" + algorithm)
      b2.checksums.object[algorithm] = .refused(refusal)
      b2.checksums.part[algorithm] = .refused(refusal)
      b2.checksums.refusedTypes[algorithm] = ["FULL_OBJECT": refusal, "COMPOSITE": refusal]
    }
    b2.checksums.isNamedAtCreate = false
    b2.checksums.isShown = false
    // codelitdev/medialit issue 158, 2025-10-09.
    b2.headers["x-amz-tagging"] = unsupported("x-amz-tagging")
    // 7,000 bytes; 2,048 with encryption, which is the default since 2026-09-14 (axpdev-lab/aeroftp issue 722).
    b2.mostMetadata = 2048
    return b2
  }()

  private static func unsupported(_ header: String) -> StorageError {
    StorageError(400, "InvalidArgument", "Unsupported header '\(header)' received for this API call.")
  }
}
