import FoundationEssentials
import Glibc
import Linux

/// A small file beside claimed files that several hosts read: whole under its name, or not there.
enum RecordFile {
  /// The most bytes of one line: the frozen body is the largest part, in base64. That of a group may have 32 MiB.
  static let mostBytes = 64 << 20
  /// Follows the name of a record until it is whole. No other daemon uses the same one.
  static let unfinished = Array(".new-".utf8)

  static func encode(_ value: some Encodable, _ name: [UInt8]) throws(FileError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    } catch {
      throw FileError("write", path: String(decoding: name, as: UTF8.self), errno: EINVAL, advice: "\(error)")
    }
  }

  /// Reads the first line of one; nil if it is not there. Throws EBADMSG for one that is not what a daemon writes.
  static func read<Value: Decodable>(
    _ name: [UInt8], as type: Value.Type, from directory: Directory
  ) throws(FileError) -> Value? {
    guard var lines = try lines(name, from: directory) else { return nil }
    return try lines.next(as: type)
  }

  /// Opens one; nil if it is not there.
  static func lines(_ name: [UInt8], from directory: Directory) throws(FileError) -> RecordLines? {
    do throws(FileError) {
      return RecordLines(try directory.openOurs(name))
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  /// Writes the bytes under a name of this daemon's own, durably, and returns that name.
  static func write(
    _ bytes: [UInt8], for name: [UInt8], by writer: [UInt8], in directory: Directory, _ sync: Sync
  ) throws(FileError) -> [UInt8] {
    let own = name + unfinished + writer
    // One of an earlier try of this very daemon is of no use.
    try remove(own, from: directory)
    do throws(FileError) {
      let file = try directory.create(own, permissions: 0o600)
      let path = "\(directory.path)/\(String(decoding: own, as: UTF8.self))"
      try file.write(bytes, path: path)
      try file.sync(sync, path: path)
    } catch {
      // On a full disk nothing must be left of it.
      do throws(FileError) { try remove(own, from: directory) } catch { throw error }
      throw error
    }
    return own
  }

  /// Removes a name; it is no error if it is gone.
  static func remove(_ name: [UInt8], from directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.remove(name)
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
  }
}
