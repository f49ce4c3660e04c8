import Glibc
public import Jobs

extension Failure {
  /// Returns a failure for a file that cannot be read or is gone, with words for the person who can help.
  ///
  /// `operation` is a verb such as `open` or `read`. `owner` and `mode` (the permission bits) are named if they are known, and
  /// `reason` is the system's text for an error that has no words of its own here. The values are plain, so that any code that
  /// throws errors of files can adapt them, in the list of adapters:
  ///
  ///     FailureAdapter(for: FileError.self) {
  ///       .file(operation: $0.operation, path: $0.path, errno: $0.errno, reason: $0.words)
  ///     }
  public static func file(
    operation: String, path: String, errno code: Int32, reason: String? = nil, owner: String? = nil, mode: UInt32? = nil
  ) -> Failure {
    let path = DisplayText.escape(path)
    let words: String
    switch code {
    case ENOENT, ENOTDIR: words = "the file \(path) is gone"
    case EACCES, EPERM:
      words = "the file \(path)\(facts(owner, mode)) cannot be read: give the daemon's user the right to read it"
    case EIO: words = "the file \(path) cannot be read: input/output error; check the disk and its journal entries"
    case ESTALE: words = "the file \(path) cannot be read: its network file system has lost it (ESTALE)"
    case ELOOP, EISDIR, ENXIO: words = "\(path) is not a regular file (\(ErrnoName.of(code)))"
    case EMFILE, ENFILE: words = "too many open files to \(operation) \(path): raise LimitNOFILE="
    default: words = "cannot \(operation) \(path): \(reason.map(DisplayText.escape) ?? ErrnoName.of(code))"
    }
    return Failure(.file, words, code: ErrnoName.of(code))
  }

  private static func facts(_ owner: String?, _ mode: UInt32?) -> String {
    let octal = mode.map { mode in
      let digits = String(mode & 0o7777, radix: 8)
      return "mode " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    let facts = [owner.map { "owner \(DisplayText.escape($0))" }, octal].compactMap(\.self)
    return facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
  }
}
