import Foundation

/// What it means for a test that all programs are built with a sanitizer (`make sanitize`).
public enum Sanitizer {
  /// Whether it is so.
  public static let isOn = ProcessInfo.processInfo.environment["WAYBILL_SANITIZER"] != nil
  /// How many times longer things may take.
  public static let factor = isOn ? 4 : 1
  /// How many times more memory they may have: AddressSanitizer keeps what was freed for a while.
  public static let memoryFactor = isOn ? 16 : 1
}
