import Foundation
import Synchronization

/// TCP ports on loopback that nobody listens on, below the range that the kernel gives to outgoing connections.
enum Ports {
  private static let next = Mutex(Int.random(in: 21_000..<31_000))

  /// A port for one test; never the same twice in a run.
  static func free() -> Int {
    next.withLock { next in
      repeat { next = next < 31_900 ? next + 1 : 21_000 } while isTaken(next)
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
