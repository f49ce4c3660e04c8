import Foundation

/// Ids of jobs as a program mints them that asks for one (`user.waybill.id`).
enum MintedID {
  /// All of one process are of one moment. The ledger may be made later, so it is ahead by half a minute, as by a clock that is fast.
  private static let time: String = {
    let hex = String(Int64((Date.now.timeIntervalSince1970 + 30) * 1000), radix: 16)
    return String(repeating: "0", count: 12 - hex.count) + hex
  }()

  /// The id with a number.
  static func text(_ number: Int) -> String {
    let end = String(number, radix: 16)
    return "\(time.prefix(8))-\(time.suffix(4))-7000-8000-\(String(repeating: "0", count: 12 - end.count))\(end)"
  }
}
