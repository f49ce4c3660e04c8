/// The place of a bucket in a URL.
public enum S3Addressing: String, Choice {
  /// `https://HOST/BUCKET/KEY`.
  case path
  /// `https://BUCKET.HOST/KEY`.
  case virtual
}
