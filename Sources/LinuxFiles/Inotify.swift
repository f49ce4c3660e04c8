import Glibc

/// The kernel's hints about changes in a directory (inotify(7)). Hints, since the queue may overflow.
///
/// Not Sendable: one thread reads it.
public final class Inotify {
  /// What happened. A set, since the kernel may report several at once.
  public struct Happening: OptionSet, Hashable, Sendable {
    /// The bits as inotify has them.
    public let rawValue: UInt32

    /// Wraps the kernel's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A name was made: a file created or linked in, a directory, a device.
    public static let created = Happening(rawValue: UInt32(IN_CREATE))
    /// A file was opened.
    public static let opened = Happening(rawValue: UInt32(IN_OPEN))
    /// A file's bytes changed.
    public static let modified = Happening(rawValue: UInt32(IN_MODIFY))
    /// A file that was open for writing was closed.
    public static let closedAfterWriting = Happening(rawValue: UInt32(IN_CLOSE_WRITE))
    /// A file that was open for reading alone was closed.
    public static let closedAfterReading = Happening(rawValue: UInt32(IN_CLOSE_NOWRITE))
    /// A name was moved in, or took a new name here.
    public static let movedIn = Happening(rawValue: UInt32(IN_MOVED_TO))
    /// A name was moved away, or took another name here.
    public static let movedOut = Happening(rawValue: UInt32(IN_MOVED_FROM))
    /// A name was removed.
    public static let removed = Happening(rawValue: UInt32(IN_DELETE))
    /// The directory itself was moved, removed or unmounted, or is no longer watched.
    public static let lost = Happening(
      rawValue: UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED))
    /// The queue was full: events are missing.
    public static let overflow = Happening(rawValue: UInt32(IN_Q_OVERFLOW))
    /// The name is that of a directory.
    public static let isDirectory = Happening(rawValue: UInt32(IN_ISDIR))
  }

  /// One hint.
  public struct Event: Hashable, Sendable {
    /// What happened.
    public let happening: Happening
    /// The name it happened to; empty where it was the directory itself.
    public let name: [UInt8]
  }

  /// The descriptor to poll for readiness.
  public let descriptor: Descriptor
  private let shown: PathText
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Watches a directory from here on. Throws ENOSPC at the limit of watches (fs.inotify.max_user_watches) and EMFILE
  /// at that of instances (fs.inotify.max_user_instances).
  public init(watching directory: Directory) throws(FileError) {
    shown = directory.shown([])
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number != -1 else { throw FileError("watch", shown, errno: errno) }
    descriptor = Descriptor(taking: number)
    let wanted: Happening = [
      .created, .opened, .modified, .closedAfterWriting, .closedAfterReading, .movedIn, .movedOut, .removed, .lost,
    ]
    // By the descriptor's name in /proc: the directory that is held, not what its path leads to by now.
    let mask = wanted.rawValue & ~UInt32(IN_IGNORED) & ~UInt32(IN_UNMOUNT) | UInt32(IN_ONLYDIR)
    let held = "/proc/self/fd/\(directory.descriptor.number)"
    guard unsafe inotify_add_watch(number, held, mask) != -1 else { throw FileError("watch", shown, errno: errno) }
  }

  /// The hints that wait, up to a buffer full; empty when there are none.
  public func read() throws(FileError) -> [Event] {
    let got = unsafe Glibc.read(descriptor.number, &buffer, buffer.count)
    guard got > 0 else {
      if got == 0 || errno == EAGAIN || errno == EINTR { return [] }
      throw FileError("read the watch of", shown, errno: errno)
    }
    return Self.parse(buffer, got)
  }

  /// Records are a header of 16 bytes (wd, mask, cookie, length of the name), then the name, padded with NULs.
  private static func parse(_ buffer: [UInt8], _ filled: Int) -> [Event] {
    let records = unsafe buffer.span.bytes.extracting(first: filled)
    var events: [Event] = []
    var offset = 0
    while offset + 16 <= records.byteCount {
      let mask = unsafe records.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let length = Int(unsafe records.unsafeLoadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      var name: [UInt8] = []
      for index in offset + 16..<min(offset + 16 + length, records.byteCount) {
        let byte = unsafe records.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        if byte == 0 { break }
        name.append(byte)
      }
      events.append(Event(happening: Happening(rawValue: mask), name: name))
      offset += 16 + length
    }
    return events
  }
}
