import CLinux
import Glibc
import Seams

/// The names in a directory, read as a stream, so that memory does not grow with the directory. Names that are added or removed meanwhile
/// may or may not be returned; every other name is returned once (POSIX readdir).
@safe public final class DirectoryListing {
  /// A name as readdir gives it.
  public struct Entry: Sendable {
    /// The name.
    public let name: [UInt8]
    /// The kind of the entry, if the file system provides it; nil means that it must be read.
    public let kind: FileFacts.Kind?
  }

  private let stream: OpaquePointer
  private let shown: PathText

  /// Opens the directory again, so that each listing has its own position.
  init(of directory: Directory, from position: Int?) throws(FileError) {
    shown = directory.shown([])
    let again = unsafe withName([UInt8(ascii: ".")]) { name in
      restarted {
        SystemCall.openat.made(on: directory.descriptor.number) {
          unsafe clinux_openat(directory.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
      }
    }
    guard again != -1 else { throw FileError("list", shown, errno: errno) }
    guard let stream = unsafe fdopendir(again) else {
      let error = errno
      close(again)
      throw FileError("list", shown, errno: error)
    }
    unsafe self.stream = stream
    if let position { unsafe seekdir(stream, position) }
  }

  /// The position behind the last name, at which a later listing may go on: the kernel's own number of it (`d_off`).
  public var position: Int { unsafe telldir(stream) }

  deinit { unsafe closedir(stream) }

  /// Returns the next name except `.` and `..`; nil at the end.
  public func next() throws(FileError) -> Entry? {
    while true {
      guard let entry = try unsafe nextEntry() else { return nil }
      let name = unsafe Self.name(of: entry)
      if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
      return Entry(name: name, kind: Self.kind(Int(unsafe entry.pointee.d_type)))
    }
  }

  /// Returns the next entry; nil at the end. readdir distinguishes the end from an error only by errno.
  private func nextEntry() throws(FileError) -> UnsafeMutablePointer<dirent>? {
    var entry: UnsafeMutablePointer<dirent>? = nil
    let result: Int32 = unsafe SystemCall.getdents.made(on: dirfd(stream)) {
      errno = 0
      unsafe entry = readdir(stream)
      return unsafe entry == nil && errno != 0 ? -1 : 0
    }
    guard result == 0 else { throw FileError("list", shown, errno: errno) }
    return unsafe entry
  }

  /// The bytes up to the NUL. The entry may be shorter than its C type, so it is never copied as a whole.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    let start = unsafe UnsafeRawPointer(entry) + offset
    let length = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
  }

  private static func kind(_ type: Int) -> FileFacts.Kind? {
    switch type {
    case Int(DT_UNKNOWN): nil
    case Int(DT_REG): .regular
    case Int(DT_DIR): .directory
    case Int(DT_LNK): .symbolicLink
    default: .other
    }
  }
}
