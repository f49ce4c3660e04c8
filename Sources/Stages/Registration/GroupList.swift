public import Jobs

/// The list of a group's objects in its registration, as JSON text: it is built from pages, so that the files need not be in
/// memory together.
public struct GroupList: Hashable, Sendable {
  /// The maximum number of bytes of the text. It is part of the body that every attempt sends.
  public static let limit = 32 << 20

  /// An array in JSON.
  public private(set) var json: [UInt8] = [UInt8(ascii: "[")]
  /// The number of files.
  public private(set) var count = 0

  /// Creates an empty list.
  public init() {}

  /// Adds a file whose object is stored.
  public mutating func add(_ member: GroupMember, key: String, link: String) {
    guard let receipt = member.receipt else { return }
    if count > 0 { json.append(UInt8(ascii: ",")) }
    count += 1
    var text = JSONText()
    text.object { members in
      members.add("path", member.path.text)
      members.add("key", key)
      members.add("link", link)
      members.add("size", receipt.size)
      members.add("etag", receipt.etag)
      members.add("version", receipt.version)
      members.add("sha256", receipt.sha256)
      members.add(receipt.checksum)
      members.add("content_type", receipt.contentType)
      members.add("modified_at", member.identity.modifiedAt.rfc3339)
    }
    json += text.bytes
  }

  /// Ends the list.
  public mutating func end() { json.append(UInt8(ascii: "]")) }
}

extension JSONText {
  /// Adds the member `checksum`, an object or null.
  mutating func add(_ checksum: Checksum?) {
    guard let checksum else { return add("checksum", nil) }
    object("checksum") { members in
      members.add("algorithm", checksum.algorithm)
      members.add("type", checksum.type.rawValue)
      members.add("value", checksum.value)
    }
  }
}
