import Jobs

/// The meaning of a request's path and query for a bucket.
struct S3Target {
  /// The object's key; empty for the bucket itself.
  let key: String
  /// Decoded, in the order of the request.
  let query: [(name: String, value: String)]

  /// - Throws: S3's error for another bucket. The bucket may stand in the path or before the host's name.
  init(_ request: FarRequest, bucket: String) throws(S3Error) {
    var path = request.path.utf8.drop { $0 == UInt8(ascii: "/") }
    if !request.host.hasPrefix(bucket + ".") {
      let name = path.prefix { $0 != UInt8(ascii: "/") }
      guard PercentEncoding.decoded(String(Substring(name))) == bucket else {
        throw S3Error(404, "NoSuchBucket", "The specified bucket does not exist.")
      }
      path = path[name.endIndex...].dropFirst()
    }
    key = PercentEncoding.decoded(String(Substring(path)))
    guard key.utf8.count <= 1024 else { throw S3Error(400, "KeyTooLongError", "Your key is too long.") }
    query = request.query.split(separator: "&").map { pair in
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      return (
        PercentEncoding.decoded(String(pair[..<equals])), PercentEncoding.decoded(String(pair[equals...].dropFirst()))
      )
    }
  }

  subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  /// S3's name for what a method asks for here.
  func operation(_ method: String) -> String {
    let isOfUpload = self["uploadId"] != nil
    switch (method, key.isEmpty) {
    case ("PUT", false): return isOfUpload ? "UploadPart" : "PutObject"
    case ("POST", false) where self["uploads"] != nil: return "CreateMultipartUpload"
    case ("POST", false): return "CompleteMultipartUpload"
    case ("GET", false): return isOfUpload ? "ListParts" : "GetObject"
    case ("HEAD", false): return "HeadObject"
    case ("HEAD", true): return "HeadBucket"
    case ("DELETE", false): return isOfUpload ? "AbortMultipartUpload" : "DeleteObject"
    case ("GET", true) where self["uploads"] != nil: return "ListMultipartUploads"
    default: return method
    }
  }
}
