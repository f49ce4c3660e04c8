import Glibc
import Jobs
import Seams

extension OpenFile {
  /// Opens a regular file by its path. Links are followed, since a person has chosen the path. Throws EISDIR for a directory and EINVAL for
  /// anything else, before the open, because opening a FIFO or device may have an effect.
  public convenience init(following path: [UInt8]) throws(FileError) {
    let shown = PathText(DisplayText.escape(path), [])
    var facts = stat()
    let result = unsafe withName(path) { path in
      unsafe SystemCall.fstatat.made(at: path) { unsafe stat(path, &facts) }
    }
    guard result == 0 else { throw FileError("open", shown, errno: errno) }
    try Self.check(FileFacts(facts), shown)
    let opened = try Descriptor(
      at: AT_FDCWD, path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY, as: "open", shown: shown)
    try Self.check(try opened.facts(shown: shown), shown)
    self.init(shown, opened)
  }

  private static func check(_ facts: FileFacts, _ shown: PathText) throws(FileError) {
    guard facts.kind != .regular else { return }
    throw FileError("open", shown, errno: facts.kind == .directory ? EISDIR : EINVAL)
  }
}

/// Returns the path with all symbolic links and dots resolved (realpath(3)); nil if it does not exist or may not be read.
public func realPath(_ path: [UInt8]) -> [UInt8]? {
  unsafe withName(path) { name in
    guard let resolved = unsafe realpath(name, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(truncatingIfNeeded: $0) }
  }
}
