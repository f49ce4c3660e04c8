import HTTPTypes
import HummingbirdCore

struct BucketRules: Sendable {
  /// The account that owns the bucket; nil if nobody asks.
  var owner: String?
  /// True if who asks pays, and has to say so.
  var requesterPays = false
  /// True if the bucket takes no customer's keys, as AWS's new ones since April 2026.
  var blocksCustomerKeys = false

  func check(_ request: Request) throws(StorageError) {
    let expected = request.headers["x-amz-expected-bucket-owner"]
    let isOwner = expected == nil || owner == nil || expected == owner
    let pays = !requesterPays || request.headers["x-amz-request-payer"] == "requester"
    let isBlocked =
      blocksCustomerKeys && request.method != .head
      && request.headers["x-amz-server-side-encryption-customer-algorithm"] != nil
    guard isOwner, pays, !isBlocked else { throw StorageError(403, "AccessDenied", "Access Denied") }
  }
}
