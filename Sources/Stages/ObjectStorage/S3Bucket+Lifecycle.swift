import HTTPTransfer
public import Jobs
import XML

extension S3Bucket {
  /// The rules of a bucket that end unfinished uploads in parts ("Configuring a bucket lifecycle configuration to delete
  /// incomplete multipart uploads" in the S3 user guide).
  public struct UploadExpiry: Hashable, Sendable {
    /// The beginnings of the keys that such a rule covers; an empty text covers all.
    public var prefixes: [String]

    /// True if an upload under every key with this beginning is ended.
    public func covers(_ prefix: String) -> Bool {
      prefixes.contains { prefix.utf8.starts(with: $0.utf8) }
    }
  }

  /// Asks for a bucket's lifecycle rules (GetBucketLifecycleConfiguration). It needs s3:GetLifecycleConfiguration.
  ///
  /// - Throws: the ``Jobs/Failure`` of a refusal and of a transfer that failed.
  public func uploadExpiry(of bucket: String) async throws(Failure) -> UploadExpiry {
    do {
      let page = try await listing(
        .lifecycle,
        Exchange(
          method: "GET", object: OtherPlace(bucket: bucket, key: ""), isOfBucket: true, query: [("lifecycle", "")]))
      return UploadExpiry(prefixes: page.children.compactMap(Self.prefix))
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchLifecycle {
      return UploadExpiry(prefixes: [])
    } catch {
      throw Self.adapters.failure(for: error)
    }
  }

  /// Returns the beginning of the keys whose uploads a rule ends; nil for another rule. A rule that looks at tags or sizes ends
  /// no upload, since those have none yet.
  private static func prefix(_ rule: XMLElement) -> String? {
    guard rule.name == "Rule", rule["Status"]?.text == "Enabled",
      rule["AbortIncompleteMultipartUpload"]?["DaysAfterInitiation"].flatMap({ Int($0.text) }) != nil
    else { return nil }
    guard let filter = rule["Filter"] else { return rule["Prefix"]?.text ?? "" }
    if filter.children.isEmpty { return "" }
    return filter["Prefix"]?.text
  }
}
