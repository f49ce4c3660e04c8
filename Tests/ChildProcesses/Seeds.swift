import Foundation

/// The seed of what tests choose at random: always the same in `make test`, another one in each round of `make test-hunt`.
/// `WAYBILL_TEST_SEED` names it, and makes the choices of an earlier run.
///
/// Names of folders and contents of files that only have to differ are not chosen from it.
public enum Seeds {
  /// The seed of this run.
  public static let run: UInt64 = {
    let seed = ProcessInfo.processInfo.environment["WAYBILL_TEST_SEED"].flatMap { UInt64($0) } ?? 0
    print("random choices: WAYBILL_TEST_SEED=\(seed)")
    return seed
  }()

  /// The seeds of a test that is run once for each of them. Runs with neighbouring seeds have none in common.
  public static func many(_ usual: some Sequence<UInt64>) -> [UInt64] { usual.map { run &* 1000 &+ $0 } }

  /// True for one case of `share` of a table that is too long for the suite: for other ones with other seeds, and for each with
  /// `WAYBILL_TEST_ALL=1`.
  public static func takes(_ number: Int, of share: Int) -> Bool {
    ProcessInfo.processInfo.environment["WAYBILL_TEST_ALL"] != nil
      || UInt64(number) % UInt64(share) == run % UInt64(share)
  }

  /// The cases of a table that this run takes, one of so many; see ``takes(_:of:)``.
  public static func share<Case>(_ table: [Case], of share: Int) -> [Case] {
    table.enumerated().filter { takes($0.offset, of: share) }.map(\.element)
  }

  /// Random numbers for the function that asks. They begin anew with each call.
  public static func numbers(file: String = #fileID, function: String = #function) -> SplitMix64 {
    numbers(for: "\(file) \(function)")
  }

  /// Random numbers for one purpose. What other tests draw, and when, makes no difference to them.
  static func numbers(for purpose: String) -> SplitMix64 {
    // FNV-1a: the hash of the standard library differs from process to process.
    let hash = purpose.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return SplitMix64(seed: hash ^ run)
  }
}
