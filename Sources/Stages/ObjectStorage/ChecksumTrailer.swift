import Credentials

/// The storages that get a CRC behind the bytes, so that a file is read once. Otherwise it goes ahead of them, in a header.
public enum ChecksumTrailer: String, Sendable, CaseIterable {
  /// AWS itself, over TLS.
  case auto
  /// This storage, whatever it is. The first answer that does not show the checksum ends it.
  case on
  /// None.
  case off
}

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
