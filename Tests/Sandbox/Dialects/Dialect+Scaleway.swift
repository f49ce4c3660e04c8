extension Dialect {
  /// Scaleway Object Storage, by its documentation (scaleway/docs-content).
  static let scaleway: Dialect = {
    var scaleway = Dialect(name: "scaleway")
    // multipart-uploads.mdx, 2025-07-30; the answer to number 1,001: docs-content issue 6447, 2026-04-21.
    scaleway.mostParts = 1000
    // The samples of put-object and head-object show none (object-operations.mdx, 2025-08-11).
    scaleway.quotesETags = false
    return scaleway
  }()
}
