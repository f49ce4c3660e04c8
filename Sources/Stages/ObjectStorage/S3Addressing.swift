/// The place of a bucket in a URL.
public enum S3Addressing: String, Sendable, CaseIterable {
  /// `https://HOST/BUCKET/KEY`.
  case path
  /// `https://BUCKET.HOST/KEY`.
  case virtual
}
