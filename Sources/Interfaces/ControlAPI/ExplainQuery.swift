public import Messages

/// The query of `GET /v1/explain`: `path`, a file's path or only its name, and `size` for a file that is still to come.
public struct ExplainQuery: Hashable, Sendable {
  /// The bytes of the path, which need not be UTF-8. If it begins with `/` it is a path, else a name below a spool.
  public var path: [UInt8]
  /// The number of bytes of a file that is to be dropped under this path; nil to ask about what is there. With it, a `/` at the
  /// end of the path means a directory.
  public var size: Int64?

  /// Creates a query about a path or a name.
  public init(path: [UInt8], size: Int64? = nil) { (self.path, self.size) = (path, size) }

  /// Reads the part of a URL after its `?`.
  ///
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol) throws(InvalidRequest) {
    var path: [UInt8]?
    var size: Int64?
    for (name, value) in try QueryText.bytePairs(query) {
      switch name {
      case "path":
        guard path == nil else { throw InvalidRequest("path is given more than once") }
        path = value
      case "size":
        guard size == nil, let bytes = Int64(String(decoding: value, as: UTF8.self)), bytes >= 0 else {
          throw InvalidRequest("size has to be one number of bytes")
        }
        size = bytes
      default: throw InvalidRequest("parameter \"\(name)\" is not known; there are path and size")
      }
    }
    guard let path, !path.isEmpty else { throw InvalidRequest("path is missing: /v1/explain?path=/srv/spool/scan.pdf") }
    guard path.count <= 4096, !path.contains(0) else {
      throw InvalidRequest("path has to be a path of at most 4096 bytes")
    }
    (self.path, self.size) = (path, size)
  }

  /// The query as the part of a URL after its `?`.
  public var text: String { "path=" + QueryText.encode(path) + (size.map { "&size=\($0)" } ?? "") }
}

extension Explanation.Reason {
  /// Creates a reason.
  public init(_ reason: String, _ detail: Message, remedy: Message? = nil) {
    self.init(reason: reason, detail: detail, remedy: remedy)
  }
}
