import Credentials
import Settings

extension StorageSettings {
  /// True if requests to an endpoint may carry their checksum behind the bytes.
  ///
  /// SHA-256 is the signed hash, so it must be known first. A Content-Encoding of the object itself would have to be combined
  /// with the one of the chunks; such objects are sent with the checksum in a header.
  func sendsTrailers(to endpoint: S3Endpoint) -> Bool {
    guard checksum.isCRC, !headers.keys.contains(where: { $0.lowercased() == "content-encoding" }) else { return false }
    return switch checksumTrailer {
    case .auto: endpoint.isAWS
    case .on: true
    case .off: false
    }
  }
}

extension S3Endpoint {
  /// True if it is AWS's S3 over TLS.
  var isAWS: Bool { origin.hasPrefix("https://") && AWSHost(origin)?.isStorage == true }
}
