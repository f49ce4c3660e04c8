import HTTPTransfer
public import Jobs
import XML

extension S3Bucket {
  /// The rules of a bucket that remove incomplete uploads in parts ("Configuring a bucket lifecycle configuration to delete
  /// incomplete multipart uploads" in the S3 user guide).
  public struct UploadExpiry: Hashable, Sendable {
    /// The key prefixes that such rules cover; an empty prefix covers all keys.
    public var prefixes: [String]

    /// True if uploads under every key with this prefix are removed.
    public func covers(_ prefix: String) -> Bool {
      prefixes.contains { prefix.utf8.starts(with: $0.utf8) }
    }
  }

  /// Reads a bucket's lifecycle rules (GetBucketLifecycleConfiguration). It needs the permission s3:GetLifecycleConfiguration.
  ///
  /// - Throws: the ``Jobs/Failure`` of a refusal or of a failed transfer.
  public func uploadExpiry(of bucket: String) async throws(Failure) -> UploadExpiry {
    do {
      let page = try await listing(
        .lifecycle,
        Exchange(
          method: "GET", object: BareAddress(bucket: bucket, key: ""), isOfBucket: true, query: [("lifecycle", "")]))
      return UploadExpiry(prefixes: page.children.compactMap(Self.prefix))
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchLifecycle {
      return UploadExpiry(prefixes: [])
    } catch {
      throw Self.adapters.failure(for: error)
    }
  }

  /// Returns the prefix of the keys whose uploads a rule removes; nil if it removes none. A rule with a filter for tags or sizes
  /// does not apply to uploads, which have neither yet.
  private static func prefix(_ rule: XMLElement) -> String? {
    guard rule.name == "Rule", rule["Status"]?.text == "Enabled",
      rule["AbortIncompleteMultipartUpload"]?["DaysAfterInitiation"].flatMap({ Int($0.text) }) != nil
    else { return nil }
    guard let filter = rule["Filter"] else { return rule["Prefix"]?.text ?? "" }
    if filter.children.isEmpty { return "" }
    return filter["Prefix"]?.text
  }
}
