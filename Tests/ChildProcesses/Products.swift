public import Foundation

/// The programs under test and the files beside the tests.
public enum Products {
  /// The folder with the built programs: the one that the test program itself was built into.
  ///
  /// `WAYBILL_TEST_PRODUCTS` names another one, to test what is installed.
  public static let folder: URL = {
    if let named = ProcessInfo.processInfo.environment["WAYBILL_TEST_PRODUCTS"] { return URL(filePath: named) }
    return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  /// The path of `waybilld`.
  public static let daemon = folder.appending(path: "waybilld").path
  /// The path of `waybill`.
  public static let command = folder.appending(path: "waybill").path
  /// The path of `waybill-fleet`.
  public static let fleet = folder.appending(path: "waybill-fleet").path
  /// The path of `waybill-sandbox`.
  public static let sandbox = folder.appending(path: "waybill-sandbox").path
  /// The path of `systemd-link-probe`, which is built for the tests alone.
  public static let systemdLinkProbe = folder.appending(path: "systemd-link-probe").path

  /// The path of `waybill-simulator`, which is built for the tests alone.
  public static let simulator = folder.appending(path: "waybill-simulator").path

  /// The path of `waybill-fuzz`, which is built for the tests alone.
  public static let fuzzer = folder.appending(path: "waybill-fuzz").path

  /// The path of the Python interpreter itself, as what stands in PATH may be a script that takes its time to find it.
  public static let python = Task {
    try await Command.require(["python3", "-c", "import sys; print(sys.executable, end='')"])
  }

  /// The path of a script of `Tests/Support`.
  public static func support(_ name: String) -> String { source("Tests/Support/" + name) }

  /// The words before a command that run a program of `.build-test/TREE`, or else the one that is installed.
  public static func unpacked(_ tree: String) -> [String] { [support("unpacked.sh"), tree] }

  /// The path of a file of the sources, by its path from the top.
  public static func source(_ path: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: path).path
  }
}
