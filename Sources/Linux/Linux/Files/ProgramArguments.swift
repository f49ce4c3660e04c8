import Glibc

/// The program's arguments as bytes.
///
/// A Swift `String` replaces bytes that are not UTF-8, so a file with such a name could not be found by it.
public enum ProgramArguments {
  /// Returns the original bytes of an argument. They differ from the text's bytes if some were replaced.
  public static func bytes(of text: String) -> [UInt8] {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return Array(text.utf8) }
    return given.first { String(decoding: $0, as: UTF8.self) == text } ?? Array(text.utf8)
  }

  /// The arguments as the kernel has them (proc_pid_cmdline(5)).
  private static let given: [[UInt8]] = {
    // Ignored: without /proc the text of an argument counts.
    guard let all = try? readSmallFile(path: "/proc/self/cmdline", limit: 4 << 20) else { return [] }
    return all.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
  }()
}
