import HTTPTransfer
import Jobs
import XML

/// An upload in parts that is open at a storage, no matter who began it.
struct UploadUnderWay: Hashable, Sendable {
  /// The bucket.
  var bucket: String
  /// The key of the future object.
  var key: String
  /// The storage's id for the upload.
  var id: String
  /// The time at which it was begun, by the storage's clock; nil if the listing has none.
  var begunAt: Timestamp?
  /// The key exactly as in the listing, if the listing does not say whether keys are encoded: Ceph encodes them without saying
  /// so.
  var listedKey: String?
}

extension UploadUnderWay: ObjectAddress {
  /// True if the upload may have this key. A wrong match does no harm, because aborting an upload needs its exact key.
  func mayHave(key: String) -> Bool { self.key == key || listedKey == key }

  /// True if a text may be the id of an upload: it must fit into the URL of a request.
  static func isID(_ text: String) -> Bool { (1...2048).contains(text.utf8.count) }
}

extension S3Bucket {
  /// The maximum number of uploads to read in one listing.
  static let mostUploads = 10_000

  /// Lists the uploads under a prefix, page by page (ListMultipartUploads), until the body returns false or ``mostUploads`` were
  /// seen.
  func forEachPage(
    ofUploadsIn bucket: String, prefix: String, _ body: ([UploadUnderWay]) async throws -> Bool
  ) async throws {
    var last: UploadUnderWay?
    var seen = 0
    while seen < Self.mostUploads {
      var query = [
        (name: "encoding-type", value: "url"), (name: "prefix", value: prefix), (name: "uploads", value: ""),
      ]
      if let last { query += [(name: "key-marker", value: last.key), (name: "upload-id-marker", value: last.id)] }
      let place = UploadUnderWay(bucket: bucket, key: "", id: "", begunAt: nil)
      let page = try await listing(
        .uploads, Exchange(method: "GET", object: place, isOfBucket: true, query: query))
      let isSaid = page["EncodingType"]?.text == "url"
      let found = page.children.filter { $0.name == "Upload" }.compactMap { Self.upload($0, in: bucket, isSaid) }
      guard try await body(found), page["IsTruncated"]?.text == "true", let next = found.last, next != last else {
        return
      }
      last = next
      seen += found.count
    }
  }

  private static func upload(_ element: XMLElement, in bucket: String, _ isSaid: Bool) -> UploadUnderWay? {
    guard let key = element["Key"]?.text, key.utf8.count <= 3 * KeyTemplate.limit, let id = element["UploadId"]?.text,
      UploadUnderWay.isID(id)
    else { return nil }
    var upload = UploadUnderWay(
      bucket: bucket, key: PercentEncoding.decoded(key), id: id,
      begunAt: element["Initiated"].flatMap { Timestamp(rfc3339: $0.text) })
    if !isSaid { upload.listedKey = key }
    return upload
  }
}
