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
  /// True if it is S3 of AWS over TLS ("Amazon Simple Storage Service endpoints and quotas" in the AWS general reference).
  var isAWS: Bool {
    guard origin.hasPrefix("https://") else { return false }
    let name = host.prefix { $0 != ":" }
    return [".amazonaws.com", ".amazonaws.com.cn"].contains { suffix in
      guard name.hasSuffix(suffix) else { return false }
      return name.dropLast(suffix.count).split(separator: ".").contains {
        $0 == "s3" || $0 == "s3-fips" || $0 == "s3-accelerate"
      }
    }
  }
}
