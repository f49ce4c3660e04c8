/// One entry of the journal: a sentence for people and fields for programs.
///
/// All fields are in one buffer, one after the other, as `NAME=value`, the form that libsystemd needs. So an entry costs two
/// allocations, however many fields it has.
public struct JournalEntry: Sendable {
  /// The priority, with the numbers of syslog(3).
  public enum Priority: UInt8, Sendable, CaseIterable {
    case emerg, alert, crit, err, warning, notice, info, debug
  }

  /// The maximum number of bytes of a value, and of the message. A longer one is cut and ends in `…`.
  public static let valueLimit = 16 * 1024

  /// The priority.
  let priority: Priority
  /// The sentence for people.
  public var message: String {
    let name = "MESSAGE=".utf8.count
    return String(decoding: bytes[name..<max(name, Int(ends[0]))], as: UTF8.self)
  }

  /// The approximate memory of the entry in bytes, which the queue counts.
  var size: Int { bytes.count + ends.count * MemoryLayout<Int32>.size + MemoryLayout<Self>.size }

  /// `NAME=value` for each field, the message's first, without separators.
  private(set) var bytes: [UInt8] = []
  /// The end of each field in `bytes`.
  private(set) var ends: [Int32] = []
  /// Microseconds since the Unix epoch, set when the entry is sent; journald records its own time too.
  var sentAt: Int64 = 0

  /// An entry with its message, and the id under which a message catalog explains its kind (sd-id128(3)). `file` and `line` are
  /// the place in the source (CODE_FILE, CODE_LINE), or nil.
  public init(
    message: String, priority: Priority, messageID: String? = nil, file: String? = #fileID,
    line: Int? = #line
  ) {
    self.priority = priority
    bytes.reserveCapacity(message.utf8.count + 512)
    ends.reserveCapacity(16)
    append(.message, message)
    append(.priority, Int(priority.rawValue))
    if let messageID { append(.messageID, messageID) }
    if let file { append(.codeFile, file) }
    if let line { append(.codeLine, line) }
  }

  /// Adds a field with text.
  public mutating func append(_ name: JournalFieldName, _ value: String) {
    begin(name)
    if value.utf8.count <= Self.valueLimit {
      bytes.append(contentsOf: value.utf8)  // As a whole: a prefix would be copied byte by byte.
    } else {
      let start = bytes.count
      // A huge value is not copied completely, only to be cut; one byte beyond the limit shows that it is too long.
      bytes.append(contentsOf: value.utf8.prefix(Self.valueLimit + 1))
      cut(from: start)
    }
    end()
  }

  /// Adds a field with any bytes: journald accepts newlines, NUL and bytes that are not UTF-8.
  public mutating func append(_ name: JournalFieldName, _ value: [UInt8]) {
    begin(name)
    let start = bytes.count
    bytes.append(contentsOf: value.prefix(Self.valueLimit + 1))
    cut(from: start)
    end()
  }

  /// Adds a field with a number in decimal digits.
  public mutating func append(_ name: JournalFieldName, _ value: Int) {
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
    end()
  }

  private mutating func begin(_ name: JournalFieldName) {
    bytes.append(contentsOf: name.text.utf8)
    bytes.append(UInt8(ascii: "="))
  }

  private mutating func end() { ends.append(Int32(bytes.count)) }

  /// Cuts a value that is too long before the character that would cross the limit.
  private mutating func cut(from start: Int) {
    guard bytes.count - start > Self.valueLimit else { return }
    let ellipsis = "…".utf8
    var end = start + Self.valueLimit - ellipsis.count
    // A UTF-8 character has at most three continuation bytes; if there are more, it is not UTF-8 and any position will do.
    for _ in 0..<3 where bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
    bytes.removeSubrange(end...)
    bytes.append(contentsOf: ellipsis)
  }
}
