import Glibc
import Linux

extension FileError {
  /// True if it is about giving a file another name. Other calls have other reasons for the same error number.
  var isOfNaming: Bool { operation == "rename" || operation == "link" }

  /// True if a file cannot get a name in another directory, as that is on another file system.
  var isOfAnotherFileSystem: Bool { isOfNaming && errno == EXDEV }
}
