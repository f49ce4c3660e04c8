/// Where a bucket is: the address of the storage, taken apart once.
struct S3Endpoint: Hashable, Sendable {
  /// `http` or `https`, `://`, host and port, without a slash at the end.
  let origin: String
  /// The value of the `Host` header, as it is sent and signed: without the scheme's own port.
  let host: String
  /// What stands before the bucket in the path: empty, or `/BASE` without a slash at the end.
  let basePath: String

  /// - Throws: ``EndpointError`` for what is no absolute address of a host.
  init(_ url: String) throws(EndpointError) {
    guard let separator = url.firstRange(of: "://") else {
      throw EndpointError(url: url, words: "has no http:// or https://")
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw EndpointError(url: url, words: "has another scheme than http or https")
    }
    let rest = url[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
    let path = rest.dropFirst(authority.count)
    guard !path.contains("?"), !path.contains("#") else {
      throw EndpointError(url: url, words: "has a query or a fragment")
    }
    guard !authority.isEmpty, authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }) else {
      throw EndpointError(url: url, words: "names no host, or has a user name in it")
    }
    guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw EndpointError(url: url, words: "has a path that is not percent-encoded")
    }
    let ownPort = scheme == "https" ? ":443" : ":80"
    host = authority.hasSuffix(ownPort) ? String(authority.dropLast(ownPort.count)) : authority
    origin = "\(scheme)://\(host)"
    basePath = String(path.reversed().drop { $0 == "/" }.reversed())
  }
}

/// Why an address cannot be a storage's endpoint.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address as it was given.
  public let url: String
  /// What is wrong with it, as a predicate.
  public let words: String

  /// The address and what is wrong with it.
  public var description: String { "\(url) \(words)" }
}
