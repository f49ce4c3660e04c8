import Foundation

/// The programs under test and the files beside the tests.
enum Products {
  /// The folder with `waybilld`, `waybill` and `waybill-sandbox`: the one that the test program itself was built into.
  static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["WAYBILL_TEST_PRODUCTS"] { return URL(filePath: named) }
    return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  static let daemon = folder.appending(path: "waybilld").path
  static let command = folder.appending(path: "waybill").path
  static let sandbox = folder.appending(path: "waybill-sandbox").path

  /// A script of `Tests/Support`.
  static func support(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Support").appending(path: name).path
  }
}

/// Something that the machine lacks and without which a test cannot mean anything.
struct Missing: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Whether a missing server fails the tests that need it instead of having them skipped.
  static var serverIsFailure: Bool { ProcessInfo.processInfo.environment["WAYBILL_TEST_REQUIRE_SERVERS"] == "1" }
}
