import CLinux
import Glibc
import Jobs
public import Messages
import Seams

/// A failed operation on a file, or on something else that the kernel gives, such as a thread: the operation, its object and the reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation as a verb: `open`, `rename`.
  public let operation: String
  /// The path, or the name of the object, in a form that can be shown: control characters and bytes that are not UTF-8 are escaped.
  public let path: String
  /// The target of a rename or link; nil for other operations.
  public let target: String?
  /// The error number of the system call.
  public let errno: Int32
  /// Advice for the person who can act: owner, mode, remedy. Nil if there is none.
  public var advice: Message?

  /// An error of an operation. The paths are escaped here.
  public init(_ operation: String, path: String, target: String? = nil, errno: Int32, advice: Message? = nil) {
    self.init(
      operation, PathText(DisplayText.escape(path), []), target: target.map { PathText(DisplayText.escape($0), []) },
      errno: errno, advice: advice)
  }

  /// An error of an operation on a name in a directory, whose bytes need not be UTF-8.
  init(_ operation: String, _ path: PathText, target: PathText? = nil, errno: Int32, advice: Message? = nil) {
    self.operation = operation
    self.path = path.text
    self.target = target?.text
    self.errno = errno
    self.advice = advice
  }

  /// The error's symbolic name, e.g. `EACCES`; `errno-4711` for a number without one.
  public var code: String { ErrorNumber(errno).name }

  /// The error, e.g. `cannot rename /spool/x to /spool/y: Permission denied (EACCES)`.
  public var message: Message {
    let error: Message =
      target.map { .fileErrorTo(operation: operation, path: path, target: $0, why: reason, code: code) }
      ?? .fileError(operation: operation, path: path, why: reason, code: code)
    return advice.map { .fileErrorAdvised(error: error, advice: $0) } ?? error
  }

  /// The error in English.
  public var words: String { message.text }

  /// The kernel's reason in words, e.g. `Permission denied`.
  public var reason: String { ErrorNumber(errno).reason }

  /// The same as ``words``.
  public var description: String { words }

  /// The remedy for an EPERM that is due to a file or directory that is immutable or append-only, which binds root too (chattr(1));
  /// nil for other errors. It looks at the paths, and at the directories that they are in.
  public var unlocking: Message? {
    guard errno == EPERM else { return nil }
    for path in [path, target].compactMap(\.self) {
      let above = path.lastIndex(of: "/").map { String(path[..<$0]) }
      for place in [path, above].compactMap(\.self) {
        let isProtected = unsafe withName(Array(place.utf8)) { name in
          unsafe SystemCall.statx.made(at: name) { unsafe clinux_is_protected(name) }
        }
        if isProtected == 1 { return .command(command: "chattr -i -a \(place)") }
      }
    }
    return nil
  }
}
