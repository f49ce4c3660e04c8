import Glibc
import Linux
import Messages
import Seams

/// An open file to send from. It owns a duplicate of a descriptor, which is closed with the last reference.
///
/// It is read at explicit offsets, so the position that the descriptor shares with the original never changes.
public final class BodyFile: Sendable {
  private let descriptor: Int32

  /// Duplicates the descriptor; the caller keeps the original.
  ///
  /// - Throws: ``TransferError/Kind/readFailed`` if the descriptor is not open, or the process has too many descriptors.
  public init(duplicating descriptor: Int32) throws(TransferError) {
    self.descriptor = SystemCall.dup.made(on: descriptor) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    guard self.descriptor >= 0 else {
      throw TransferError(
        .readFailed, .descriptorNotDuplicated(why: TransferError.text(errno)), osError: errno)
    }
  }

  deinit { close(descriptor) }

  /// Reads up to the buffer's size at an offset. The count is 0 at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Result<Int, TransferError> {
    while true {
      let count = SystemCall.pread.made(on: descriptor) {
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      }
      if count >= 0 { return .success(count) }
      let code = errno
      guard code == EINTR else {
        return .failure(TransferError(.readFailed, .bodyUnreadable(why: TransferError.text(code)), osError: code))
      }
    }
  }
}
