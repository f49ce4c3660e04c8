/// The answer to ListObjectsV2, without delimiters.
struct ObjectListing: Sendable {
  let xml: String

  /// Lists the records that the query selects; they come sorted by key.
  init(bucket: String, target: ObjectTarget, records: [ObjectRecord]) {
    let prefix = target["prefix"] ?? ""
    let most = min(max(target["max-keys"].flatMap(Int.init) ?? 1000, 0), 1000)
    // The continuation token is the last key of the previous page.
    let after = target["continuation-token"] ?? target["start-after"] ?? ""
    let encoded = target["encoding-type"] == "url"
    let rest = records.filter {
      $0.key.utf8.starts(with: prefix.utf8) && after.utf8.lexicographicallyPrecedes($0.key.utf8)
    }
    let page = rest.prefix(most)
    func shown(_ key: String) -> String {
      encoded ? PercentEncoding.encode(key.utf8, also: [UInt8(ascii: "/")]) : key
    }
    var elements = [
      XML.element("Name", bucket), XML.element("Prefix", shown(prefix)), XML.element("MaxKeys", String(most)),
      XML.element("KeyCount", String(page.count)), XML.element("IsTruncated", String(page.count < rest.count)),
    ]
    if encoded { elements.append(XML.element("EncodingType", "url")) }
    if page.count < rest.count, let last = page.last {
      elements.append(XML.element("NextContinuationToken", last.key))
    }
    elements += page.map { record in
      let parts = [
        XML.element("Key", shown(record.key)),
        XML.element("LastModified", BasicTime.extended(record.lastModified)),
        XML.element("ETag", "\"\(record.etag)\""), XML.element("Size", String(record.size)),
        XML.element("StorageClass", record.headers["x-amz-storage-class"] ?? "STANDARD"),
      ]
      return "<Contents>" + parts.joined() + "</Contents>"
    }
    xml = XML.document("ListBucketResult", elements)
  }
}
