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

  struct Location {
    /// The URL without a query.
    let url: String
    let host: String
    /// The URL's path, percent-encoded.
    let path: Substring
  }

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
      PercentEncoding.append(bucket, keepingSlash: false, to: &url)
    }
    if key != nil || addressing == .virtual { url.append(UInt8(ascii: "/")) }
    if let key { PercentEncoding.append(key, keepingSlash: true, to: &url) }
    let text = String(decoding: url, as: UTF8.self)
    return Location(url: text, host: host, path: Substring(text.utf8.dropFirst(start)))
  }

  func host(of bucket: String) -> String { addressing == .path ? host : "\(bucket).\(host)" }

  /// - Throws: `WebAddress.Fault` if the text is no URL, which reading the configuration finds earlier.
  init(_ url: String, addressing: S3Addressing = .path) throws(WebAddress.Fault) {
    let address = try WebAddress(url)
    let ownPort = address.scheme == "https" ? "443" : "80"
    let port = address.port.flatMap { $0 == ownPort ? nil : ":" + $0 } ?? ""
    host = address.host + port
    origin = "\(address.scheme)://\(address.host)\(port)"
    self.addressing = addressing
    basePath = String(address.path.reversed().drop { $0 == "/" }.reversed())
  }
}
