import Credentials
import Settings

extension S3Bucket.Options {
  /// True if requests to an endpoint may carry their checksum behind the bytes.
  ///
  /// SHA-256 is the signed hash and has to be known first. An encoding of its own for the object would have to be merged with
  /// that of the chunks, which is left to the header's way.
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
  /// True if it is S3 of AWS over TLS.
  var isAWS: Bool { origin.hasPrefix("https://") && AWSHost(origin)?.isStorage == true }
}
