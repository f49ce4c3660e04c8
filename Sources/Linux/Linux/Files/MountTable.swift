import CLinux
import Glibc
import Seams
import Synchronization

/// The table of mounted file systems. Its descriptor reports POLLPRI once for each mount or unmount (proc_pid_mountinfo(5)).
public final class MountTable: Sendable {
  /// The descriptor for ``PollThread/poll(urgent:)``.
  public let descriptor: Descriptor

  /// Opens the table of the process's own mount namespace. Throws if there is no /proc.
  public init() throws(FileError) {
    let path = Array("/proc/self/mountinfo".utf8)
    descriptor = try Descriptor(
      at: AT_FDCWD, path, flags: O_RDONLY, as: "open", shown: PathText("/proc/self/mountinfo", []))
  }
}

/// The mount that was looked up last; true if systemd made it for this service. The root of a mount never changes.
private let lastMount = Mutex<(number: UInt64, isOfServiceAlone: Bool)?>(nil)

/// A directory by its path within its file system, which is the same for every mount of the file system or of a part of it.
public struct PathInFileSystem: Hashable, Sendable {
  let device: UInt64
  let path: [UInt8]

  /// True if this directory is the other one, or below it.
  public func isIn(_ other: PathInFileSystem) -> Bool { path(in: other) != nil }

  /// Returns the path from the other directory to this one, which is empty if they are the same; nil if this one is not below it.
  public func path(in other: PathInFileSystem) -> [UInt8]? {
    guard device == other.device, path.starts(with: other.path) else { return nil }
    let rest = path.dropFirst(other.path.count)
    if rest.isEmpty || other.path.last == UInt8(ascii: "/") { return Array(rest) }
    return rest.first == UInt8(ascii: "/") ? Array(rest.dropFirst()) : nil
  }
}

extension Directory {
  /// The number of the mount that the directory is on; nil if it cannot be determined. A later mount may get the same number.
  public var mount: UInt64? {
    var number: UInt64 = 0
    let result = SystemCall.statx.made(on: descriptor.number) { unsafe clinux_mount(descriptor.number, &number) }
    return result == 0 ? number : nil
  }

  /// A name of the medium that the directory is on; nil if it cannot be determined. It is the same in every mount namespace, and another one
  /// for another medium in the same drive. Of what has no drive, as a network file system, type and source tell it.
  public var medium: String? {
    do throws(FileError) {
      guard let fields = try mountFields() else { return nil }
      return try Self.medium(fields) { device throws(FileError) in
        // A partition's directory is in that of its disk. The kernel numbers the media of all disks (Linux 5.15).
        for place in ["", "/.."] {
          let path = "/sys/dev/block/\(device)\(place)/diskseq"
          if let number = try ifPresent({ () throws(FileError) in try readSmallFile(path: path, limit: 64) }) {
            return number
          }
        }
        return nil
      }
    } catch {
      return nil
    }
  }

  static func medium(
    _ fields: [ArraySlice<UInt8>], sequence: (_ device: String) throws(FileError) -> [UInt8]?
  ) throws(FileError) -> String? {
    // Before the type and the source there are optional fields, and a hyphen at their end.
    guard let end = fields.firstIndex(of: Array("-".utf8)[...]), fields.count > end + 2 else { return nil }
    let device = String(decoding: fields[2], as: UTF8.self)
    var parts = fields[(end + 1)...(end + 2)]
    if !device.hasPrefix("0:") {
      guard let number = try sequence(device) else { return nil }
      parts = [number.prefix { $0 != UInt8(ascii: "\n") }]
    }
    return ([device] + parts.map { String(decoding: $0, as: UTF8.self) }).joined(separator: " ")
  }

  /// Returns the fields of the table's line for the mount that the directory is on; nil if there is none. They are: number, parent, device,
  /// root of the mount within its file system, mount point, …
  private func mountFields() throws(FileError) -> [ArraySlice<UInt8>]? {
    guard let number = mount else { return nil }
    let table = try readSmallFile(path: "/proc/self/mountinfo", limit: 16 << 20)
    let start = Array("\(number) ".utf8)
    let line = table.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: start) }
    let fields = line?.split(separator: UInt8(ascii: " ")) ?? []
    return fields.count > 4 ? fields : nil
  }

  /// The path within the file system; nil if there is no /proc or it cannot be determined.
  public func pathInFileSystem() throws(FileError) -> PathInFileSystem? {
    guard let fields = try mountFields(), let path = realPath(Array("/proc/self/fd/\(descriptor.number)".utf8)) else {
      return nil
    }
    let (root, point) = (Self.unescaped(fields[3]), Self.unescaped(fields[4]))
    guard path.starts(with: point) else { return nil }
    let slash = UInt8(ascii: "/")
    let rest = path.dropFirst(point.last == slash ? point.count - 1 : point.count)
    let start = root.last == slash ? root.dropLast() : root[...]
    return PathInFileSystem(device: try facts().device, path: Array(start) + rest)
  }

  /// Decodes a field: blanks and some other characters are octal in the table (`\\040`).
  private static func unescaped(_ field: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(code)
      rest = rest.dropFirst(3)
    }
    return bytes
  }

  /// True if it is in a `/tmp` or `/var/tmp` that systemd made for this service alone (systemd.exec(5), `PrivateTmp=`) and that disappears
  /// with the service. False if that cannot be determined.
  public var isOfServiceAlone: Bool {
    guard let number = mount else { return false }
    if let last = lastMount.withLock({ $0 }), last.number == number { return last.isOfServiceAlone }
    let fields: [ArraySlice<UInt8>]
    do throws(FileError) {
      fields = try mountFields() ?? []
    } catch {
      return false
    }
    let isIt = !fields.isEmpty && String(decoding: fields[3], as: UTF8.self).contains("/systemd-private-")
    lastMount.withLock { $0 = (number, isIt) }
    return isIt
  }
}
