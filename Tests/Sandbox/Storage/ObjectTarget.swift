/// The meaning of a request's path for the storage side: the bucket, or an object in it.
struct ObjectTarget: Sendable, Equatable {
  var bucket: String
  /// Empty for the bucket itself.
  var key: String
  /// Decoded, in the order of the request.
  var query: [(name: String, value: String)]

  static func == (one: Self, other: Self) -> Bool {
    one.bucket == other.bucket && one.key == other.key && one.query.elementsEqual(other.query, by: ==)
  }

  /// Takes `/BUCKET/KEY?QUERY` apart.
  init(_ target: String) throws(StorageError) {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let path = target[..<mark].drop { $0 == "/" }
    let slash = path.firstIndex(of: "/") ?? path.endIndex
    bucket = try Self.text(path[..<slash])
    key = try Self.text(path[slash...].dropFirst())
    if key.utf8.count > 1024 { throw StorageError(400, "KeyTooLongError", "Your key is too long.") }
    query = []
    for pair in target[mark...].dropFirst().split(separator: "&") {
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      query.append((try Self.text(pair[..<equals]), try Self.text(pair[equals...].dropFirst())))
    }
  }

  subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  private static func text(_ encoded: Substring) throws(StorageError) -> String {
    guard let bytes = PercentEncoding.decode(encoded), let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidURI
    }
    return text
  }
}
