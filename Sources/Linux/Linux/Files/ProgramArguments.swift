import Glibc

/// The words that the program was started with, as the bytes that they are.
///
/// A Swift `String` mends what is not UTF-8, so that a file with such a name could not be found by it.
public enum ProgramArguments {
  /// The bytes of an argument as it was given: the text's own, unless it was mended.
  public static func bytes(of text: String) -> [UInt8] {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return Array(text.utf8) }
    return given.first { String(decoding: $0, as: UTF8.self) == text } ?? Array(text.utf8)
  }

  /// The words that the kernel passed on (proc_pid_cmdline(5)).
  private static let given: [[UInt8]] = {
    guard let all = try? readSmallFile(path: "/proc/self/cmdline", limit: 4 << 20) else { return [] }
    return all.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
  }()
}
