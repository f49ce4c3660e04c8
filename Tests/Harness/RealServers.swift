import ChildProcesses
import Foundation

/// An S3 server that others wrote and that verifies signatures, started before the tests and named by the environment.
enum RealS3 {
  static func storage() throws -> StorageSetup {
    StorageSetup(
      endpoint: try required("WAYBILL_TEST_S3"), bucket: try required("WAYBILL_TEST_S3_BUCKET"),
      accessKey: try required("WAYBILL_TEST_S3_KEY"), secretKey: try required("WAYBILL_TEST_S3_SECRET"))
  }

  /// Its folder: it is a Ceph gateway.
  static func ceph() throws -> String { try required("WAYBILL_TEST_CEPH") }
}

/// The awscli of PyPI, named by the environment: an S3 client that others wrote.
enum AWSCLI {
  static func program() throws -> String { try required("WAYBILL_TEST_AWS") }

  /// With the key of a storage, and with no settings, metadata service or proxy of this machine's.
  static func environment(_ storage: StorageSetup) -> [String: String?] {
    [
      "AWS_ACCESS_KEY_ID": storage.accessKey, "AWS_SECRET_ACCESS_KEY": storage.secretKey,
      "AWS_DEFAULT_REGION": storage.region, "AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": nil,
      "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "http_proxy": nil,
      "https_proxy": nil, "HTTP_PROXY": nil, "HTTPS_PROXY": nil, "ALL_PROXY": nil, "all_proxy": nil,
    ]
  }
}

private func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
}

private func required(_ name: String) throws -> String {
  guard let value = environment(name) else { throw Missing("\(name) is not set") }
  return value
}
