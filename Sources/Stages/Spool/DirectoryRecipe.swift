import Linux

/// Shell commands, for people to copy, that create directories with the owner, group and mode that the daemon needs.
package struct DirectoryRecipe: Sendable {
  let user: String
  let group: String
  /// The group of those who drop files; nil if the system has none of the usual name.
  let droppers: String?

  /// The group that the package makes for those who drop files.
  private static let usualDroppers = "waybill-drop"
}

extension DirectoryRecipe {
  /// The recipe for a daemon's user, with a group of droppers that is named, or else the usual one.
  package init(user: String = UserName.of(ProcessRights.user), droppers: String? = nil) {
    self.init(
      user: user, group: GroupName.ofUser(user) ?? user,
      droppers: droppers ?? (GroupName.id(of: Self.usualDroppers) == nil ? nil : Self.usualDroppers))
  }

  /// The commands that create a spool. Members of its group may drop files; the daemon may read them, and other droppers may not.
  package func spool(_ path: String) -> [String] {
    let path = Self.quoted(path)
    return [
      "install -d -o \(user) -g \(droppers ?? group) -m 3770 \(path)",
      "setfacl -d -m u::rwx,u:\(user):rwx,g::---,o::--- \(path)",
    ]
  }

  package func archive(_ path: String) -> [String] {
    ["install -d -o \(user) -g \(group) -m 2750 \(Self.quoted(path))"]
  }

  /// Quotes a path as one word for a shell, if it needs that.
  private static func quoted(_ path: String) -> String {
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
