import Glibc

/// The kernel's hints about changes in directories (inotify(7)). Hints, since the queue may overflow.
///
/// One thread reads it at a time.
public final class Inotify: Sendable {
  /// The kinds of change. It is a set, since the kernel may report several at once.
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
    /// The watch is gone: the directory was removed or unmounted, or the watch was given up.
    public static let ended = Happening(rawValue: UInt32(IN_IGNORED))
    /// The directory itself was moved.
    public static let moved = Happening(rawValue: UInt32(IN_MOVE_SELF))
    /// The directory itself was moved, removed or unmounted, or is no longer watched.
    public static let lost = Happening(
      rawValue: UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED))
    /// The queue was full: events are missing.
    public static let overflow = Happening(rawValue: UInt32(IN_Q_OVERFLOW))
    /// The name is that of a directory.
    public static let isDirectory = Happening(rawValue: UInt32(IN_ISDIR))
  }

  /// A watch of one directory. Numbers are not used again while the instance lives (but after 2³¹ of them).
  public struct Watch: Hashable, Sendable {
    let number: Int32
  }

  /// One hint.
  public struct Event: Hashable, Sendable {
    /// The watch it came by; of none where events were lost.
    public let watch: Watch
    /// The change.
    public let happening: Happening
    /// The number that the two hints of one rename share; 0 for the others.
    public let cookie: UInt32
    /// The name it happened to; empty where it was the directory itself.
    public let name: [UInt8]
  }

  /// The descriptor to poll for readiness.
  public let descriptor: Descriptor
  private let shown: PathText
  private static let bufferSize = 65_536

  /// Watches nothing yet; `path` is for errors. Throws EMFILE at the limit of instances (fs.inotify.max_user_instances).
  public init(path: String) throws(FileError) {
    shown = PathText(path, [])
    let number = SystemCall.inotifyInit.made { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
    guard number != -1 else { throw FileError("watch", shown, errno: errno) }
    descriptor = Descriptor(taking: number)
  }

  /// Watches a directory from here on; one that is watched already keeps its watch. What happens to files that have
  /// lost their name is not told. Throws ENOSPC at the limit of watches (fs.inotify.max_user_watches).
  public func watch(_ directory: Directory) throws(FileError) -> Watch {
    let wanted: Happening = [
      .created, .opened, .modified, .closedAfterWriting, .closedAfterReading, .movedIn, .movedOut, .removed, .lost,
    ]
    // By the descriptor's name in /proc: the directory that is held, not what its path leads to by now.
    let mask =
      wanted.rawValue & ~UInt32(IN_IGNORED) & ~UInt32(IN_UNMOUNT) | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
    let held = "/proc/self/fd/\(directory.descriptor.number)"
    let number = SystemCall.inotifyAddWatch.made(on: directory.descriptor.number) {
      unsafe inotify_add_watch(descriptor.number, held, mask)
    }
    guard number != -1 else { throw FileError("watch", directory.shown([]), errno: errno) }
    return Watch(number: number)
  }

  /// Watches a directory no longer. What was heard of it before may still be read. One that is gone needs no giving up.
  public func unwatch(_ watch: Watch) { _ = inotify_rm_watch(descriptor.number, watch.number) }

  /// The hints that wait, up to a buffer full; empty when there are none.
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

  /// Records are a header of 16 bytes (wd, mask, cookie, length of the name), then the name, padded with NULs.
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
