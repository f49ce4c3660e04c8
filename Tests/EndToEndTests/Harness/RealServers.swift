import ChildProcesses
import Foundation

extension Missing {
  /// Whether a missing server fails the tests that need it instead of having them skipped.
  static var serverIsFailure: Bool { ProcessInfo.processInfo.environment["WAYBILL_TEST_REQUIRE_SERVERS"] == "1" }
}

/// An S3 server that others wrote and that verifies signatures, started before the tests and named by the environment.
enum RealS3 {
  /// Whether the tests that need it run; where servers are required they run and fail without one.
  static var canRun: Bool { Missing.serverIsFailure || environment("WAYBILL_TEST_S3") != nil }

  /// Its endpoint, key and bucket.
  static func storage() throws -> StorageSetup {
    StorageSetup(
      endpoint: try required("WAYBILL_TEST_S3"), bucket: try required("WAYBILL_TEST_S3_BUCKET"),
      accessKey: try required("WAYBILL_TEST_S3_KEY"), secretKey: try required("WAYBILL_TEST_S3_SECRET"))
  }
}

/// The httpbin of PyPI, started before the tests and named by the environment.
enum HTTPBin {
  /// Whether the tests that need it run; where servers are required they run and fail without one.
  static var canRun: Bool { Missing.serverIsFailure || environment("WAYBILL_TEST_HTTPBIN") != nil }

  /// The address of a path.
  static func url(_ path: String) throws -> String { try required("WAYBILL_TEST_HTTPBIN") + path }
}

/// The awscli of PyPI, named by the environment: an S3 client that others wrote.
enum AWSCLI {
  /// Whether the tests that need it, and a server for it, run.
  static var canRun: Bool { Missing.serverIsFailure || (environment("WAYBILL_TEST_AWS") != nil && RealS3.canRun) }

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
