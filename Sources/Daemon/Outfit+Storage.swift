import Credentials
import Jobs
import ObjectStorage
import Settings

extension Outfit {
  /// The stage that stores objects, with what its key is read by.
  func storage(_ settings: StorageSettings) throws -> Stages.Destination<S3Bucket> {
    let accessKey = reader(settings.accessKey)
    let secretKey = reader(settings.secretKey)
    let bucket = try S3Bucket(
      S3Bucket.Options(
        name: settings.name, endpoint: settings.endpoint, region: settings.region, overwrite: settings.overwrite,
        headers: settings.headers, checksum: ChecksumAlgorithm(settings.checksum), digest: settings.digest,
        multipartThreshold: settings.multipartThreshold, partSize: settings.partSize,
        partConcurrency: settings.partConcurrency, connectTimeout: settings.connectTimeout,
        stallTimeout: settings.stallTimeout, caFile: settings.caFile,
        keyNote: settings.secretKey.restartNote ?? settings.accessKey.restartNote,
        userAgent: "waybill/\(Daemon.version)"),
      transport: frame.transport, workers: frame.workers, now: frame.clock.now,
      signingKey: { () throws(CredentialError) in
        SigningKey(accessKey: try accessKey.read().text, secret: try secretKey.read().text)
      })
    return .init(
      stage: bucket, retry: settings.retry,
      credentials: [
        .init(key: "access_key", reader: accessKey, isShown: true), .init(key: "secret_key", reader: secretKey),
      ])
  }
}

extension ChecksumAlgorithm {
  fileprivate init(_ checksum: StorageSettings.Checksum) {
    switch checksum {
    case .sha256: self = .sha256
    case .crc32c: self = .crc32c
    case .crc64nvme: self = .crc64nvme
    case .none: self = .none
    }
  }
}
