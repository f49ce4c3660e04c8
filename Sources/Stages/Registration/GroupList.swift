public import Jobs
import Messages

/// The list of a group's objects in its registration, as JSON text. It is built page by page, so that the files need not be in
/// memory at the same time.
public struct GroupList: Hashable, Sendable {
  /// The maximum number of bytes of the text, which is part of the body of every attempt.
  public static let limit = 32 << 20

  /// The JSON array so far.
  public private(set) var json: [UInt8] = [UInt8(ascii: "[")]
  /// The number of files.
  public private(set) var count = 0

  /// Creates an empty list.
  public init() {}

  /// Adds a file whose object is stored; a file without a receipt is ignored.
  public mutating func add(_ member: GroupMember, key: String, link: String) {
    guard let receipt = member.receipt else { return }
    if count > 0 { json.append(UInt8(ascii: ",")) }
    count += 1
    var text = JSONText()
    text.object { members in
      members.member("path", member.path.text)
      members.member("key", key)
      members.member("link", link)
      members.member("size", receipt.size)
      members.member("etag", receipt.etag)
      members.member("version", receipt.version)
      members.member("sha256", receipt.sha256)
      members.member("checksum", receipt.checksum)
      members.member("content_type", receipt.contentType)
      members.member("modified_at", member.identity.modifiedAt.rfc3339)
    }
    json += text.bytes
  }

  /// Completes the array.
  public mutating func end() { json.append(UInt8(ascii: "]")) }
}

extension JSONText {
  mutating func member(_ name: String, _ checksum: Checksum?) {
    guard let checksum else { return member(name, json: nil) }
    member(
      name,
      object: { members in
        members.member("algorithm", checksum.algorithm)
        members.member("type", checksum.type.rawValue)
        members.member("value", checksum.value)
      })
  }
}
