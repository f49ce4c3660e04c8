import Jobs
import Linux

extension SizeLimits {
  /// Returns the reason why a file of this size is not claimed; nil if it is.
  func refusal(of size: Int64) -> FileStatus.Reason? {
    if size == 0, least > 0 { return .empty }
    if size < least { return .tooSmall }
    if let greatest, size > greatest { return .tooLarge }
    return nil
  }

  /// The same for a file by its name; nil too if there is no such file.
  func refusal(ofFile name: [UInt8], in directory: Directory) throws(FileError) -> FileStatus.Reason? {
    try directory.factsIfPresent(name).flatMap { refusal(of: $0.size) }
  }

  /// True if every size is allowed, so that no size needs to be read.
  var isUnlimited: Bool { self == SizeLimits() }
}
