import FoundationEssentials
import Glibc
package import Jobs
package import Linux
import Synchronization

/// The files of a group, as the link record in a shared spool lists them: a line of JSON for each file, after the first line. So
/// a host that takes over the group knows which files were sent, and which may be removed. Any thread may read the next ones.
package final class StoredMembers: Sendable {
  /// The number of files, and the number of those that have a receipt.
  package let count: GroupProgress

  private let lines: Mutex<RecordLines>

  init(_ record: StoredRecord, _ lines: RecordLines) {
    count = record.files
    self.lines = Mutex(lines)
  }

  /// Returns the next files, at most `count`; empty at the end.
  ///
  /// - Throws: `FileError`; EBADMSG if it is not a record that a daemon wrote.
  package func next(upTo count: Int) throws(FileError) -> [GroupMember] {
    try lines.withLock { lines throws(FileError) in
      var page: [GroupMember] = []
      while page.count < count, let line = try lines.next(as: Line.self) { page.append(line.member) }
      return page
    }
  }

  /// Returns the lines of some files.
  package static func lines(_ members: [GroupMember]) throws(FileError) -> [UInt8] {
    var lines: [UInt8] = []
    for member in members { lines += try RecordFile.encode(Line(member), member.path.bytes) }
    return lines
  }

  private struct Line: Codable {
    /// In base64, because a name may contain any bytes.
    let path: Data
    let file: RecordedFile
    let receipt: RecordedReceipt?

    init(_ member: GroupMember) {
      path = Data(member.path.bytes)
      file = RecordedFile(member.identity)
      receipt = member.receipt.map { RecordedReceipt($0) }
    }

    var member: GroupMember {
      GroupMember(path: FileName(bytes: Array(path)), identity: file.identity, receipt: receipt?.receipt)
    }
  }
}

/// The lines of a record, read one by one.
struct RecordLines {
  private static let chunk = 64 << 10

  private let file: OpenFile
  private var offset: Int64 = 0
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ file: OpenFile) { self.file = file }

  /// Returns the next line; nil at the end. Throws EBADMSG for a line that a daemon does not write.
  mutating func next<Value: Decodable>(as type: Value.Type) throws(FileError) -> Value? {
    guard let line = try next() else { return nil }
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch {
      throw FileError("read", path: file.path, errno: EBADMSG, advice: "it is not a record of waybilld")
    }
  }

  private mutating func next() throws(FileError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return bytes[start..<end]
      }
      let chunk = try file.read(at: offset, count: Self.chunk)
      guard !chunk.isEmpty else {
        // The last line of a record ends with a newline, like the others. An empty record is not written by a daemon.
        guard start < bytes.count || offset == 0 else { return nil }
        throw FileError("read", path: file.path, errno: EBADMSG, advice: "it is not a record of waybilld")
      }
      offset += Int64(chunk.count)
      bytes.removeFirst(start)
      start = 0
      searched = bytes.count
      bytes += chunk
      guard bytes.count <= RecordFile.mostBytes else {
        throw FileError("read", path: file.path, errno: EFBIG, advice: "it is not a record of waybilld")
      }
    }
  }
}
