import Foundation

/// What it means for a test that all programs are built with a sanitizer (`make sanitize`).
public enum Sanitizer {
  /// How many times longer things may take, and how many times more memory they may have.
  public static let factor = ProcessInfo.processInfo.environment["WAYBILL_SANITIZER"] == nil ? 1 : 4
}
