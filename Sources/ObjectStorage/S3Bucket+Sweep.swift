import Failures
import HTTPTransfer
public import Jobs

/// An upload in parts that is under way at a storage, whoever began it.
public struct UploadUnderWay: Hashable, Sendable {
  /// The bucket.
  public var bucket: String
  /// The key of the object to be.
  public var key: String
  /// What the storage calls the upload.
  public var id: String
  /// When it was begun, by the storage's clock; nil where it does not say so.
  public var begunAt: Timestamp?
  /// The key as it stood in the listing, where that does not say whether keys are encoded: Ceph encodes them and is silent.
  var listedKey: String?

  /// An upload as it is listed.
  public init(bucket: String, key: String, id: String, begunAt: Timestamp?) {
    self.bucket = bucket
    self.key = key
    self.id = id
    self.begunAt = begunAt
  }
}

extension UploadUnderWay: ObjectPlace {
  /// Whether a key may be this one's. To take another key's upload for one of this would do no harm: whoever aborts an upload
  /// has to name its key rightly.
  func mayHave(key: String) -> Bool { self.key == key || listedKey == key }

  /// Whether a text may be the id of an upload: it has to fit into the URL of a request.
  static func isID(_ text: String) -> Bool { (1...2048).contains(text.utf8.count) }
}

extension S3Bucket {
  /// The most uploads that are looked at in one listing.
  public static let mostUploads = 10_000

  /// The uploads in parts under a prefix, page by page (ListMultipartUploads), at most ``mostUploads``.
  ///
  /// - Throws: what the request failed with.
  public func uploadsUnderWay(in bucket: String, prefix: String) async throws(Failure) -> [UploadUnderWay] {
    var uploads: [UploadUnderWay] = []
    do {
      try await forEachPage(ofUploadsIn: bucket, prefix: prefix) { page in
        uploads += page.prefix(Self.mostUploads - uploads.count)
        return uploads.count < Self.mostUploads
      }
      return uploads
    } catch {
      throw Self.adapters.failure(for: error)
    }
  }

  /// Aborts one of them; one that is gone by then is as good.
  ///
  /// - Throws: what the request failed with.
  public func abort(_ upload: UploadUnderWay) async throws(Failure) {
    do {
      if try await hasAborted(upload.id, of: upload) { return }
      guard let key = upload.listedKey, key != upload.key else { return }
      var other = upload
      other.key = key
      _ = try await hasAborted(upload.id, of: other)
    } catch {
      throw Self.adapters.failure(for: error)
    }
  }

  /// Walks over the uploads under a prefix, page by page (ListMultipartUploads), until the body wants no more or
  /// ``mostUploads`` were seen.
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
        "ListMultipartUploadsResult", Exchange(method: "GET", object: place, isOfBucket: true, query: query))
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
