/// The name of a journal field: `A`…`Z`, `0`…`9` and `_`, at most 64 characters, beginning with a letter.
///
/// journald silently drops a field with any other name, and reserves a leading `_` for fields that it guarantees itself
/// (systemd.journal-fields(7)). So a wrong name is refused here.
public struct JournalFieldName: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name.
  public let text: String

  /// A name in the source. A wrong one is a programming error, and stops the program on first use.
  public init(stringLiteral text: String) {
    precondition(Self.isValid(text), "\(text) is not the name of a journal field")
    self.text = text
  }

  // The fields that every entry has; systemd.journal-fields(7).
  static let message: JournalFieldName = "MESSAGE"
  static let priority: JournalFieldName = "PRIORITY"
  static let messageID: JournalFieldName = "MESSAGE_ID"
  static let codeFile: JournalFieldName = "CODE_FILE"
  static let codeLine: JournalFieldName = "CODE_LINE"
  static let identifier: JournalFieldName = "SYSLOG_IDENTIFIER"

  /// Returns true if journald accepts the name.
  static func isValid(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
    guard first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z") else { return false }
    return text.utf8.allSatisfy {
      ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z")) || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
        || $0 == UInt8(ascii: "_")
    }
  }
}
