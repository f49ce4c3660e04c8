import HTTPTransfer
import Messages
import Settings

/// The feature that a storage does not support, as far as its answer shows it, and the setting that avoids it.
extension S3Refusal {
  /// True if the storage does not accept `If-None-Match`: the answer names it, or says "not implemented" without naming another
  /// header. Backblaze B2 does so.
  var isConditionRefused: Bool {
    guard context.isConditional, answer.status == 501 || refusedHeader != nil else { return false }
    return refusedHeader.map { $0 == "if-none-match" } ?? true
  }

  /// The refused header in lower case, if the answer names one.
  private var refusedHeader: String? {
    guard answer.status == 501 || answer.status == 400 else { return nil }
    return error?.header?.lowercased()
  }

  /// The setting that avoids what the storage refuses; nil if none is known.
  var remedy: Message? {
    if let code = answer.code, S3Code.needsVirtualAddressing.contains(code) {
      return setting("addressing = \"virtual\"")
    }
    if answer.code == S3Code.noSuchBucket {
      return .storageWithoutBucket(bucket: BoundedText.of(context.bucket), storage: context.storage)
    }
    guard let header = refusedHeader else {
      if isConditionRefused { return .storageWithoutCondition(storage: context.storage) }
      if isChecksumRefused { return otherChecksum }
      return namesMostParts ? setting("a larger part_size") : nil
    }
    switch header {
    case "if-none-match": return setting("overwrite = true")
    case _ where header.hasPrefix("x-amz-checksum-") || header.hasPrefix("x-amz-sdk-checksum-"): return otherChecksum
    case "x-amz-expected-bucket-owner": return leaveOut("expected_bucket_owner")
    case _ where header.hasPrefix("x-amz-server-side-encryption"): return leaveOut("encryption")
    case "x-amz-tagging": return leaveOut("tags")
    case _ where header.hasPrefix("x-amz-object-lock-"): return leaveOut("object_lock")
    default: return .storageLeaveHeaderOut(header: BoundedText.of(header), storage: context.storage)
    }
  }

  private func setting(_ text: String) -> Message { .storageSet(setting: text, storage: context.storage) }

  private func leaveOut(_ setting: String) -> Message { .storageLeaveOut(setting: setting, storage: context.storage) }

  private var otherChecksum: Message {
    setting("checksum = \(context.checksum == .sha256 ? "\"none\"" : "\"sha256\"")")
  }

  /// True if the kind of checksum is refused, rather than its value.
  private var isChecksumRefused: Bool {
    let isOfForm = ["InvalidRequest", "InvalidArgument", "NotImplemented"].contains(answer.code ?? "")
    return isOfForm && (answer.status == 400 || answer.status == 501)
      && answer.message?.lowercased().contains("checksum") == true
  }

  /// True if the storage refuses a part number that is beyond its limit: `Part number must be an integer between 1 and 1000,
  /// inclusive` (S3; Scaleway).
  private var namesMostParts: Bool {
    answer.code == "InvalidArgument" && answer.message?.lowercased().hasPrefix("part number") == true
  }
}
