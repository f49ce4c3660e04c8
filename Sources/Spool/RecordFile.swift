import Failpoints
import FoundationEssentials
import Glibc
import LinuxFiles

/// A small file beside claimed files that several hosts read: whole under its name, or not there.
enum RecordFile {
  /// The most bytes of one: the frozen body is the largest part.
  static let mostBytes = 16 << 20
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

  /// Reads one; nil if it is not there. Throws EBADMSG for one that is not what a daemon writes.
  static func read<Value: Decodable>(
    _ name: [UInt8], as type: Value.Type, from directory: Directory
  ) throws(FileError) -> Value? {
    let file: OpenFile
    do throws(FileError) {
      file = try directory.openOurs(name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
    let bytes = try file.read(at: 0, count: mostBytes)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      throw FileError("read", path: file.path, errno: EBADMSG, advice: "it is not a record of waybilld")
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
