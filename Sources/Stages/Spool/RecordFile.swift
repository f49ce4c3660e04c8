import FoundationEssentials
import Glibc
import Linux

/// A small file beside claimed files that several hosts read. Under its name it is always complete.
enum RecordFile {
  /// The maximum size of one line in bytes. Its largest part is the frozen body in base64; a group's body may have 32 MiB.
  static let mostBytes = 64 << 20
  /// Follows the name of an incomplete record; then comes the writer's id, so that no two daemons use the same name.
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

  /// Reads the first line of a record; nil if there is none. Throws EBADMSG if it is not a line that a daemon writes.
  static func read<Value: Decodable>(
    _ name: [UInt8], as type: Value.Type, from directory: Directory
  ) throws(FileError) -> Value? {
    guard var lines = try lines(name, from: directory) else { return nil }
    return try lines.next(as: type)
  }

  /// Opens a record; nil if there is none.
  static func lines(_ name: [UInt8], from directory: Directory) throws(FileError) -> RecordLines? {
    do throws(FileError) {
      return RecordLines(try directory.openOurs(name))
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  /// Writes the bytes durably under a temporary name that only this writer uses, and returns that name.
  static func write(
    _ bytes: [UInt8], for name: [UInt8], by writer: [UInt8], in directory: Directory, _ sync: Sync
  ) throws(FileError) -> [UInt8] {
    let own = name + unfinished + writer
    // A file that an earlier attempt of this writer left is of no use.
    try remove(own, from: directory)
    do throws(FileError) {
      let file = try directory.create(own, permissions: 0o600)
      let path = "\(directory.path)/\(String(decoding: own, as: UTF8.self))"
      try file.write(bytes, path: path)
      try file.sync(sync, path: path)
    } catch {
      // On a full disk, no part of the record must be left.
      do throws(FileError) { try remove(own, from: directory) } catch { throw error }
      throw error
    }
    return own
  }

  /// Removes a record; it is no error if it is gone.
  static func remove(_ name: [UInt8], from directory: Directory) throws(FileError) {
    do throws(FileError) {
      try directory.remove(name)
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
  }
}
