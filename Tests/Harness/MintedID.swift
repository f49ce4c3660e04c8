import Foundation

/// Ids of jobs as a program mints them that asks for one (`user.waybill.id`).
enum MintedID {
  /// All of one process are of one moment. The ledger may be made later, so it is ahead by half a minute, as by a clock that is fast.
  private static let ahead = Date.now + 30

  static func text(_ number: Int) -> String { text(number, at: ahead) }

  static func text(_ number: Int, at time: Date) -> String {
    let hex = padded(Int(time.timeIntervalSince1970 * 1000))
    return "\(hex.prefix(8))-\(hex.suffix(4))-7000-8000-\(padded(number))"
  }

  private static func padded(_ number: Int) -> String {
    let hex = String(number, radix: 16)
    return String(repeating: "0", count: 12 - hex.count) + hex
  }
}
