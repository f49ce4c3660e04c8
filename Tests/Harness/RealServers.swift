import ChildProcesses
import Foundation

/// An S3 server that others wrote and that verifies signatures, started before the tests and named by the environment.
enum RealS3 {
  /// Its endpoint, key and bucket.
  static func storage() throws -> StorageSetup {
    StorageSetup(
      endpoint: try required("WAYBILL_TEST_S3"), bucket: try required("WAYBILL_TEST_S3_BUCKET"),
      accessKey: try required("WAYBILL_TEST_S3_KEY"), secretKey: try required("WAYBILL_TEST_S3_SECRET"))
  }

  /// Its folder: it is a Ceph gateway. Another one gives out temporary keys.
  static func ceph(withTemporaryKeys: Bool = false) throws -> String {
    try required("WAYBILL_TEST_CEPH" + (withTemporaryKeys ? "_STS" : ""))
  }
}

/// A user of a Ceph gateway with a key and a bucket of its own, which a test may take away without touching other tests.
struct CephUser {
  private let name = "test-" + UUID().uuidString.lowercased()

  /// Makes one, with a key that it may use. The bucket is not made yet.
  static func make() async throws -> (user: CephUser, storage: StorageSetup) {
    let user = CephUser()
    let storage = StorageSetup(
      endpoint: try RealS3.storage().endpoint, bucket: user.name, accessKey: user.name + "-1", secretKey: user.name)
    try await user.admin(
      "user", "create", "--display-name=Test", "--access-key=" + storage.accessKey, "--secret-key=" + storage.secretKey)
    return (user, storage)
  }

  /// Takes a key away at the server.
  func revoke(_ storage: StorageSetup) async throws {
    try await admin("key", "rm", "--access-key=" + storage.accessKey)
  }

  /// Lets the user have this key, be it a new one or one that it had.
  func allow(_ storage: StorageSetup) async throws {
    try await admin("key", "create", "--access-key=" + storage.accessKey, "--secret-key=" + storage.secretKey)
    try await S3Reader(storage: storage).untilTaken()
  }

  private func admin(_ words: String...) async throws {
    let configuration = try RealS3.ceph() + "/ceph.conf"
    try await Command.require(
      Products.unpacked("ceph") + ["radosgw-admin", "-c", configuration, "-n", "client.admin"] + words + [
        "--uid=" + name
      ])
  }
}

/// OpenStack Swift with its S3 API, started before the tests and named by the environment.
enum OpenStack {
  /// Its endpoint, key and bucket.
  static func storage() throws -> StorageSetup {
    StorageSetup(
      endpoint: try required("WAYBILL_TEST_OPENSTACK"), bucket: try required("WAYBILL_TEST_OPENSTACK_BUCKET"),
      accessKey: try required("WAYBILL_TEST_OPENSTACK_KEY"), secretKey: try required("WAYBILL_TEST_OPENSTACK_SECRET"))
  }
}

/// The httpbin of PyPI, started before the tests and named by the environment.
enum HTTPBin {
  /// The address of a path.
  static func url(_ path: String) throws -> String { try required("WAYBILL_TEST_HTTPBIN") + path }
}

/// The awscli of PyPI, named by the environment: an S3 client that others wrote.
enum AWSCLI {
  /// The program.
  static func program() throws -> String { try required("WAYBILL_TEST_AWS") }
}

private func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
}

private func required(_ name: String) throws -> String {
  guard let value = environment(name) else { throw Missing("\(name) is not set") }
  return value
}
