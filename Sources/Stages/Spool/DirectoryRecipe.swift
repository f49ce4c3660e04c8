import Linux

/// The commands that make directories as the daemon needs them, for people to copy: users and groups by name.
public struct DirectoryRecipe: Sendable {
  /// The daemon's user.
  let user: String
  /// The daemon's group.
  let group: String
  /// The group of those who drop files; nil if the system has none of the usual name.
  let droppers: String?

  /// The group that the package makes for those who drop files.
  private static let usualDroppers = "waybill-drop"

  init(user: String, group: String, droppers: String?) {
    self.user = user
    self.group = group
    self.droppers = droppers
  }

  /// The recipe for a daemon of a user, as the system knows users and groups; without an id, for a daemon of this process's user.
  public init(of uid: UInt32? = nil) {
    let user = UserName.of(uid ?? ProcessRights.user)
    self.init(
      user: user, group: GroupName.ofUser(user) ?? user,
      droppers: GroupName.id(of: Self.usualDroppers) == nil ? nil : Self.usualDroppers)
  }

  /// Makes a spool: whoever is in the group may drop files, the daemon may read them, and no other dropper may.
  public func spool(_ path: String) -> [String] {
    let path = Self.quoted(path)
    return [
      "install -d -o \(user) -g \(droppers ?? group) -m 3770 \(path)",
      "setfacl -d -m u::rwx,u:\(user):rwx,g::---,o::--- \(path)",
    ]
  }

  /// Makes an archive.
  public func archive(_ path: String) -> [String] { ["install -d -o \(user) -g \(group) -m 2750 \(Self.quoted(path))"] }

  /// A word of a shell.
  public static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+,@%".utf8.contains(byte)
      }
    }
    return isPlain
      ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
