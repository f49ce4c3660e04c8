import Glibc
import Seams

/// The kernel's hints about changes in directories (inotify(7)). They are only hints, because the queue may overflow.
///
/// Only one thread at a time may read it.
public final class Inotify: Sendable {
  /// The kinds of change. It is a set, because the kernel may report several at once.
  public struct Happening: OptionSet, Hashable, Sendable {
    /// The bits of inotify.
    public let rawValue: UInt32

    /// Wraps bits from the kernel.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A name was created: of a new or linked file, a directory or a device.
    public static let created = Happening(rawValue: UInt32(IN_CREATE))
    /// A file was opened.
    public static let opened = Happening(rawValue: UInt32(IN_OPEN))
    /// A file's bytes changed.
    public static let modified = Happening(rawValue: UInt32(IN_MODIFY))
    /// A file that was open for writing was closed.
    public static let closedAfterWriting = Happening(rawValue: UInt32(IN_CLOSE_WRITE))
    /// A file that was open only for reading was closed.
    public static let closedAfterReading = Happening(rawValue: UInt32(IN_CLOSE_NOWRITE))
    /// A name was moved into the directory, or renamed within it: this is the new name.
    public static let movedIn = Happening(rawValue: UInt32(IN_MOVED_TO))
    /// A name was moved out of the directory, or renamed within it: this is the old name.
    public static let movedOut = Happening(rawValue: UInt32(IN_MOVED_FROM))
    /// A name was removed.
    public static let removed = Happening(rawValue: UInt32(IN_DELETE))
    /// The watch has ended: the directory was removed or unmounted, or the watch was removed.
    public static let ended = Happening(rawValue: UInt32(IN_IGNORED))
    /// The directory itself was moved, removed or unmounted, or is not watched any more.
    public static let lost = Happening(
      rawValue: UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED))
    /// The queue was full: events are missing.
    public static let overflow = Happening(rawValue: UInt32(IN_Q_OVERFLOW))
    /// The name is the name of a directory.
    public static let isDirectory = Happening(rawValue: UInt32(IN_ISDIR))
  }

  /// A watch of one directory. Its number is not reused while the instance lives (unless there were 2³¹ watches).
  public struct Watch: Hashable, Sendable {
    let number: Int32
  }

  /// One hint.
  public struct Event: Hashable, Sendable {
    /// The watch that reported it; an invalid one for lost events.
    public let watch: Watch
    /// The change.
    public let happening: Happening
    /// The number that the two events of one rename share; 0 for all others.
    public let cookie: UInt32
    /// The name that the change is about; empty for the directory itself.
    public let name: [UInt8]
  }

  /// The descriptor to poll for readiness.
  public let descriptor: Descriptor
  private let shown: PathText
  private static let bufferSize = 65_536

  /// Creates an instance without watches. Throws EMFILE at the limit of instances (fs.inotify.max_user_instances).
  public init(path: String) throws(FileError) {
    shown = PathText(path, [])
    let number = SystemCall.inotifyInit.made { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
    guard number != -1 else { throw FileError("watch", shown, errno: errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Begins to watch a directory, unless it is watched already; without openings and closings after reading if `withOpenings` is false.
  /// Events of files that have lost their name are not reported. Throws ENOSPC at the limit of watches (fs.inotify.max_user_watches).
  public func watch(_ directory: Directory, withOpenings: Bool = true) throws(FileError) -> Watch {
    var wanted: Happening = [.created, .modified, .closedAfterWriting, .movedIn, .movedOut, .removed, .lost]
    if withOpenings { wanted.formUnion([.opened, .closedAfterReading]) }
    // The path in /proc leads to the open directory itself, whatever its own path leads to by now.
    let mask =
      wanted.rawValue & ~UInt32(IN_IGNORED) & ~UInt32(IN_UNMOUNT) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
    let held = "/proc/self/fd/\(directory.descriptor.number)"
    let number = SystemCall.inotifyAddWatch.made(on: directory.descriptor.number) {
      unsafe inotify_add_watch(descriptor.number, held, mask)
    }
    guard number != -1 else { throw FileError("watch", directory.shown([]), errno: errno) }
    return Watch(number: number)
  }

  /// Removes a watch. Earlier events of it may still be read. The watch of a directory that is gone need not be removed.
  public func unwatch(_ watch: Watch) { _ = inotify_rm_watch(descriptor.number, watch.number) }

  /// Returns the waiting events, at most one buffer full; empty if there are none.
  public func read() throws(FileError) -> [Event] {
    var failure: Int32 = 0
    let buffer = unsafe [UInt8](unsafeUninitializedCapacity: Self.bufferSize) { buffer, filled in
      let got = SystemCall.read.made(on: descriptor.number) {
        unsafe Glibc.read(descriptor.number, buffer.baseAddress, buffer.count)
      }
      if got < 0 { failure = errno } else { filled = got }
    }
    guard failure == 0 || failure == EAGAIN || failure == EINTR else {
      throw FileError("read the watch of", shown, errno: failure)
    }
    return buffer.isEmpty ? [] : Self.parse(buffer, buffer.count)
  }

  /// Each record is a header of 16 bytes (wd, mask, cookie, length of the name), followed by the name, padded with NULs.
  private static func parse(_ buffer: [UInt8], _ filled: Int) -> [Event] {
    let records = unsafe buffer.span.bytes.extracting(first: filled)
    var events: [Event] = []
    var offset = 0
    while offset + 16 <= records.byteCount {
      let watch = unsafe records.unsafeLoadUnaligned(fromByteOffset: offset, as: Int32.self)
      let mask = unsafe records.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let cookie = unsafe records.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
      let length = Int(unsafe records.unsafeLoadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      var name: [UInt8] = []
      for index in offset + 16..<min(offset + 16 + length, records.byteCount) {
        let byte = unsafe records.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        if byte == 0 { break }
        name.append(byte)
      }
      events.append(
        Event(watch: Watch(number: watch), happening: Happening(rawValue: mask), cookie: cookie, name: name))
      offset += 16 + length
    }
    return events
  }
}
