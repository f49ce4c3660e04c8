/// An access control list of POSIX.1e, as an extended attribute has it (acl(5); `linux/posix_acl_xattr.h`).
public struct AccessList: Hashable, Sendable {
  /// The user or group that an entry is about.
  public enum Subject: Hashable, Sendable {
    /// The owner of the file.
    case owner
    /// A user by id.
    case user(UInt32)
    /// The group of the file.
    case group
    /// The limit of all entries except the owner's and the others'.
    case mask
    /// Everybody else.
    case others
  }

  /// One entry.
  public struct Entry: Hashable, Sendable {
    let subject: Subject
    let permissions: UInt16

    /// Creates an entry with the permissions of a file's mode, 0 to 7.
    public init(_ subject: Subject, _ permissions: UInt16) {
      self.subject = subject
      self.permissions = permissions
    }
  }

  let entries: [Entry]

  /// Creates a list of entries, in any order.
  public init(_ entries: [Entry]) { self.entries = entries }

  /// The value of the attribute. The kernel wants the entries in the order of their tags, and users in that of their ids.
  public var bytes: [UInt8] {
    let sorted = entries.sorted { ($0.subject.tag, $0.subject.id) < ($1.subject.tag, $1.subject.id) }
    return Self.littleEndian(UInt32(2))
      + sorted.flatMap { entry in
        Self.littleEndian(entry.subject.tag) + Self.littleEndian(entry.permissions)
          + Self.littleEndian(entry.subject.id)
      }
  }

  private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

extension AccessList.Subject {
  fileprivate var tag: UInt16 {
    switch self {
    case .owner: 0x01
    case .user: 0x02
    case .group: 0x04
    case .mask: 0x10
    case .others: 0x20
    }
  }

  fileprivate var id: UInt32 {
    if case .user(let id) = self { id } else { .max }
  }
}

extension Directory {
  /// Sets the access control list that files and directories made in it begin with.
  ///
  /// - Throws: ``FileError``, with EOPNOTSUPP if the file system has no such lists.
  public func setDefault(_ list: AccessList) throws(FileError) {
    try descriptor.setAttribute("system.posix_acl_default", list.bytes, path: path)
  }
}
