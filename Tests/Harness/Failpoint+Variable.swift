import ChildProcesses
import Foundation
import Linux
import Seams

extension Failpoint {
  private static let name = "WAYBILL_FAILPOINT"

  /// Whether the daemon under test has failpoints: release builds know nothing of them, not even the variable's name.
  static let areBuilt =
    FileManager.default.contents(atPath: Products.daemon)?.range(of: Data(name.utf8)) != nil

  /// The environment in which a daemon ends here at so many passes, or in which the thread that passes hangs.
  func variable(turn: Int = 1, hanging: Bool = false) -> [String: String] {
    [Self.name: "\(rawValue):\(turn)\(hanging ? "=hang" : "")"]
  }

  /// The environment in which the thread that passes is held until there is such a file.
  func variable(turn: Int = 1, until file: URL) -> [String: String] {
    [Self.name: "\(rawValue):\(turn)=until:\(file.path)"]
  }

  /// The failpoint at which a process has said that it ends, or that a thread hangs; nil where it has not.
  static func met(by child: ChildProcess) -> Failpoint? {
    child.errorText.split(separator: ": failpoint ", omittingEmptySubsequences: false).dropFirst().first
      .flatMap { Failpoint(rawValue: String($0.prefix { $0 != "\n" })) }
  }
}
