import Glibc
import Jobs
import Linux

extension SizeLimits {
  /// The reason why a file of a size is left alone.
  enum Refusal: Sendable, CaseIterable {
    case empty, tooSmall, tooLarge
  }

  /// Returns the reason why a file of this size is left alone; nil if it is taken.
  func refusal(of size: Int64) -> Refusal? {
    if size == 0, !takesEmpty { return .empty }
    if size < least { return .tooSmall }
    if let greatest, size > greatest { return .tooLarge }
    return nil
  }

  /// The same for the file of a name; nil too if there is none.
  func refusal(ofFile name: [UInt8], in directory: Directory) throws(FileError) -> Refusal? {
    do throws(FileError) {
      return refusal(of: try directory.facts(of: name).size)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  /// True if no size is refused, so that nothing needs to be looked at.
  var isUnlimited: Bool { self == SizeLimits() }
}
