extension Dialect {
  /// Amazon S3, general-purpose buckets: what all others are measured by.
  ///
  /// - 412 for a failed condition at a PUT and at the end of an upload; an upload whose end is refused so stays (elastic/elasticsearch
  ///   PR 138569, 2025-11-25).
  /// - SHA-256 of parts is COMPOSITE alone, CRC-64/NVME FULL_OBJECT alone, and the answer to the beginning names algorithm and type (measured:
  ///   floci-io/floci PR 3093, 2026-09-03).
  /// - 400 BadDigest for a wrong checksum, also of the whole object at the end ("Checking object integrity" in the user guide;
  ///   apache/arrow-rs-object-store issue 709, measured, 2026-05-01).
  /// - A part without a checksum of its upload's algorithm is refused in a COMPOSITE upload, and taken in a FULL_OBJECT one (raw answers
  ///   in versity/versitygw issue 1342, 2025-06-14).
  /// - The same end once more gets the same answer (adobe/S3Mock PR 2586, 2025-08-26, run against AWS; ceph/s3-tests; the reference says
  ///   NoSuchUpload).
  static let aws = Dialect(name: "aws")
}
