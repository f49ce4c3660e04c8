extension Dialect {
  /// Cloudflare R2.
  static let r2: Dialect = {
    var r2 = Dialect(name: "r2")
    // Evaluated at the beginning too: release notes of R2, 2022-05-27.
    r2.conditions.create = .kept
    // "If the condition fails, the upload is aborted": release notes, 2023-08-11.
    r2.conditions.endUpload = true
    // CRC-64/NVME is FULL_OBJECT, all others are COMPOSITE alone: api.mdx of cloudflare-docs (PR 23443, 2025-07-03). A beginning with
    // FULL_OBJECT is refused (robinrodricks/FluentStorage issue 166, 2026-09-22; the code is not told).
    r2.checksums.refusedTypes["crc32c"] = [
      "FULL_OBJECT": StorageError(400, "InvalidRequest", "The FULL_OBJECT checksum type is not supported for CRC32C.")
    ]
    // A part's SHA-256 is 501 in an upload that was begun without an algorithm (Alos-no/Cloudflare.NET PR 43, measured, 2026-08-24); in one
    // that was begun with it, it is supported by the page. Nobody else begins one without.
    // api.mdx: not supported; such a header is 501 with its name (openreplay/openreplay issue 2018, 2024-04-01).
    for name in [
      "x-amz-tagging", "x-amz-object-lock-", "x-amz-expected-bucket-owner", "x-amz-request-payer", "x-amz-acl",
      "x-amz-server-side-encryption-aws-kms-key-id",
    ] { r2.headers[name] = notImplemented(name) }
    // multipart-objects.mdx; told at the end alone: 400 InvalidPart (duckdb/duckdb-httpfs issue 405, 2026-08-24).
    r2.needsEqualParts = true
    // limits.mdx, 2025-12-29.
    r2.mostMetadata = 8192
    return r2
  }()
}
