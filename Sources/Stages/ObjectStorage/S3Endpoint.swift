import Jobs
import Settings

/// The parsed address of the storage. It gives the URL of a bucket or object.
struct S3Endpoint: Hashable, Sendable {
  /// The scheme `http` or `https`, `://`, host and port, without a slash at the end.
  let origin: String
  /// The value of the `Host` header, as it is sent and signed: without the scheme's default port.
  let host: String
  /// The path before the bucket: empty, or `/BASE` without a slash at the end.
  let basePath: String
  let addressing: S3Addressing

  private var scheme: Substring { origin.prefix { $0 != ":" } }

  /// The URL of a bucket, or of an object in it.
  struct Location {
    /// The URL without a query.
    let url: String
    /// The value of the `Host` header.
    let host: String
    /// The URL's path, percent-encoded.
    let path: Substring
  }

  /// Returns the URL of a bucket, or of an object in it.
  func place(of bucket: String, key: String?) -> Location {
    let host = host(of: bucket)
    var url: [UInt8] = []
    url.reserveCapacity(256)
    switch addressing {
    case .path: url += origin.utf8
    case .virtual: url += "\(scheme)://\(host)".utf8
    }
    let start = url.count
    url += basePath.utf8
    if addressing == .path {
      url.append(UInt8(ascii: "/"))
      PercentEncoding.append(component: bucket, to: &url)
    }
    if key != nil || addressing == .virtual { url.append(UInt8(ascii: "/")) }
    if let key { PercentEncoding.append(path: key, to: &url) }
    let text = String(decoding: url, as: UTF8.self)
    return Location(url: text, host: host, path: Substring(text.utf8.dropFirst(start)))
  }

  /// The `Host` header of requests to a bucket.
  func host(of bucket: String) -> String { addressing == .path ? host : "\(bucket).\(host)" }

  /// - Throws: ``EndpointError`` if the text is not an absolute address of a host.
  init(_ url: String, addressing: S3Addressing = .path) throws(EndpointError) {
    guard let separator = url.firstRange(of: "://") else {
      throw EndpointError(url: url, words: "has no http:// or https://")
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw EndpointError(url: url, words: "has a scheme other than http or https")
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
    guard addressing == .path || !Self.isNumeric(host) else {
      throw EndpointError(url: url, words: "has an IP address as its host, and a bucket name cannot be put before that")
    }
    self.addressing = addressing
    basePath = String(path.reversed().drop { $0 == "/" }.reversed())
  }

  /// True if a host, with or without its port, is an IP address.
  static func isNumeric(_ host: String) -> Bool {
    if host.hasPrefix("[") { return true }
    let labels = host.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
  }
}

/// The reason why an address cannot be a storage's endpoint.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address as it was given.
  let url: String
  /// The fault, as a predicate.
  let words: String

  /// The address and its fault.
  public var description: String { "\(url) \(words)" }
}
