import CLinux
import Glibc
import Seams

/// A regular file that is open for reading. It remains the same file if its name changes.
public final class OpenFile: Sendable {
  let shown: PathText
  /// The open descriptor.
  public let descriptor: Descriptor

  init(_ shown: PathText, _ descriptor: consuming Descriptor) {
    self.shown = shown
    self.descriptor = descriptor
  }

  /// The path it was opened by, in a form that can be shown.
  public var path: String { shown.text }

  /// The current facts of the file.
  public func facts() throws(FileError) -> FileFacts { try descriptor.facts(shown: shown) }

  /// Reads up to `count` bytes from an offset on; fewer only at the end of the file.
  public func read(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe (filled, failure) = fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]), at: offset)
    }
    guard failure == 0 else { throw FileError("read", shown, errno: failure) }
    return bytes
  }

  /// Reads into memory from an offset on, as many bytes as it has, and returns their number: fewer only at the end of the file.
  public func read(at offset: Int64, into memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    let (filled, failure) = unsafe fill(memory.bindMemory(to: UInt8.self), at: offset)
    guard failure == 0 else { throw FileError("read", shown, errno: failure) }
    return filled
  }

  /// Fills a buffer with the bytes from an offset on. The error is 0 if there was none.
  private func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int64) -> (count: Int, error: Int32) {
    var filled = 0
    while filled < buffer.count {
      let got = SystemCall.pread.made(on: descriptor.number) {
        unsafe pread(
          descriptor.number, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled,
          off_t(offset) + filled)
      }
      if got == 0 { break }
      if got > 0 {
        filled += got
      } else if errno != EINTR {
        return (filled, errno)
      }
    }
    return (filled, 0)
  }

  /// Returns the file's first bytes if they are in the page cache, so that reading them does not wait for a disk (RWF_NOWAIT of
  /// preadv2(2)); nil if they are not, or the file system cannot tell.
  public func readFromMemory(count: Int) throws(FileError) -> [UInt8]? {
    if count == 0 { return [] }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let got = SystemCall.pread.made(on: descriptor.number) {
        unsafe clinux_read_cached(descriptor.number, buffer.baseAddress, count)
      }
      if got < 0 { failure = errno } else { filled = got }
    }
    if failure == EAGAIN || failure == EOPNOTSUPP || failure == EINTR { return nil }
    guard failure == 0 else { throw FileError("read", shown, errno: failure) }
    return bytes.count == count ? bytes : nil
  }
}
