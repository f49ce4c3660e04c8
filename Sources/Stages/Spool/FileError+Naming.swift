import Glibc
import Linux

extension FileError {
  /// True if the failed call was one that gives a file a name. For other calls the same error number has other meanings.
  var isOfNaming: Bool { operation == "rename" || operation == "link" }

  /// True if a file could not get a name in another directory because that is on another file system.
  var isOfAnotherFileSystem: Bool { isOfNaming && errno == EXDEV }
}
