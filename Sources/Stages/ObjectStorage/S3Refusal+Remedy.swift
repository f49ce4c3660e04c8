import HTTPTransfer
import Settings

/// The feature that a storage does not support, as far as its answer shows it, and the setting that avoids it.
extension S3Refusal {
  /// True if the storage does not accept `If-None-Match`: the answer names it, or says "not implemented" without naming another
  /// header. Backblaze B2 does so.
  var isConditionRefused: Bool {
    guard context.isConditional, answer.status == 501 || refusedHeader != nil else { return false }
    return refusedHeader.map { $0 == "if-none-match" } ?? true
  }

  /// True if the answer names `If-None-Match` as the refused header.
  var namesCondition: Bool { context.isConditional && refusedHeader == "if-none-match" }

  /// The refused header in lower case, if the answer names one.
  private var refusedHeader: String? {
    guard answer.status == 501 || answer.status == 400 else { return nil }
    return error?.header?.lowercased()
  }

  /// The setting that avoids what the storage refuses; nil if none is known.
  var remedy: String? {
    guard let header = refusedHeader else {
      if isConditionRefused { return "if the storage does not support If-None-Match, set overwrite = true" }
      if isChecksumRefused { return otherChecksum }
      return mostParts.map { "set max_parts = \($0)" }
    }
    switch header {
    case "if-none-match": return "set overwrite = true"
    case _ where header.hasPrefix("x-amz-checksum-") || header.hasPrefix("x-amz-sdk-checksum-"): return otherChecksum
    case "x-amz-trailer": return "set checksum_trailer = \"off\""
    case "x-amz-expected-bucket-owner": return "leave out expected_bucket_owner"
    case _ where header.hasPrefix("x-amz-server-side-encryption"): return "leave out encryption"
    case "x-amz-tagging": return "leave out tags"
    case _ where header.hasPrefix("x-amz-object-lock-"): return "leave out object_lock"
    default: return "leave \(BoundedText.of(header)) out of headers"
    }
  }

  private var otherChecksum: String {
    context.checksum == .sha256 ? "set checksum_header = false" : "set checksum = \"sha256\""
  }

  /// True if the kind of checksum is refused, rather than its value.
  private var isChecksumRefused: Bool {
    let isOfForm = ["InvalidRequest", "InvalidArgument", "NotImplemented"].contains(answer.code ?? "")
    return isOfForm && (answer.status == 400 || answer.status == 501)
      && answer.message?.lowercased().contains("checksum") == true
  }

  /// The maximum number of parts, if the storage refuses a higher part number and names its limit: `Part number must be an
  /// integer between 1 and 1000, inclusive` (S3; Scaleway).
  private var mostParts: Int? {
    guard answer.code == "InvalidArgument", let message = answer.message?.lowercased() else { return nil }
    guard message.hasPrefix("part number") else { return nil }
    return message.split { !$0.isNumber }.compactMap { Int($0) }.last
  }
}
