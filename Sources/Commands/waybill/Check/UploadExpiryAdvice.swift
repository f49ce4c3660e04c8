import Jobs
import ObjectStorage

/// The finding on rules of a bucket that end unfinished uploads.
enum UploadExpiryAdvice {
  /// Returns the finding for the beginnings of the keys of the spools that use the bucket.
  static func of(_ stage: S3Bucket, _ bucket: String, _ prefixes: [String]) async -> ProbeFinding {
    do throws(Failure) {
      let expiry = try await stage.uploadExpiry(of: bucket)
      guard let bare = prefixes.first(where: { !expiry.covers($0) }) else {
        return ProbeFinding(.fits, "ends unfinished multipart uploads by a lifecycle rule")
      }
      let place = bare.isEmpty ? "" : " under \(DisplayText.escape(bare))"
      return ProbeFinding(
        .advice,
        "has no lifecycle rule that ends unfinished multipart uploads\(place): what is left of them is kept, and billed, until "
          + "a rule with AbortIncompleteMultipartUpload ends it")
    } catch {
      return ProbeFinding(
        .advice,
        "does not show its lifecycle rules (\(error.words)), so it could not be seen whether one ends unfinished multipart "
          + "uploads (s3:GetLifecycleConfiguration)")
    }
  }
}
