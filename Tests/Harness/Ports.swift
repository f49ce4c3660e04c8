import Foundation
import Synchronization

/// TCP ports on loopback that nobody listens on, below the range that the kernel gives to outgoing connections, and of which the
/// scripts that start servers take none (`free_port` in Tests/Support/own.sh). Those of a machine of the tests' own are others than those
/// of a run beside it: both have one network.
enum Ports {
  private static let range =
    ProcessInfo.processInfo.environment["WAYBILL_TEST_MACHINE"] == nil ? 20_000..<23_000 : 23_000..<26_000
  private static let next = Mutex(Int.random(in: range))

  /// A port for one test; never the same twice in a run.
  static func free() -> Int {
    next.withLock { next in
      repeat { next = range.contains(next + 1) ? next + 1 : range.lowerBound } while isTaken(next)
      return next
    }
  }

  private static func isTaken(_ port: Int) -> Bool {
    let hex =
      ":" + String(repeating: "0", count: 4 - String(port, radix: 16).count) + String(port, radix: 16).uppercased()
    let table = FileManager.default.contents(atPath: "/proc/net/tcp") ?? Data()
    return String(decoding: table, as: UTF8.self).contains(hex)
  }
}
