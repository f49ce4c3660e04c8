import Glibc
public import Linux
import Messages
import Seams

/// Makes the directories that a daemon needs, as ``DirectoryRecipe`` tells people to. Only for root.
public struct DirectorySetup: Sendable {
  /// The state of a directory before it is used.
  public enum State: Hashable, Sendable {
    /// There is nothing yet.
    case missing
    /// It belongs to the daemon, and to the wanted group.
    case ready
    /// It belongs to this user and group.
    case others(owner: String, group: String)
  }

  /// The commands that do the same.
  public let recipe: DirectoryRecipe
  private let user: UInt32
  private let daemonGroup: UInt32
  private let droppers: UInt32
  /// True if a spool of another group counts as another's.
  private let insistsOnGroup: Bool

  /// Prepares for a daemon's user and the group of those who drop files; nil if there is no such user or group.
  ///
  /// - Parameter droppers: a group that was asked for; nil for the usual one, or any that a directory has already.
  public init?(user name: String, droppers: String? = nil) {
    recipe = DirectoryRecipe(user: name, droppers: droppers)
    guard let user = ProcessRights.user(named: name), let group = GroupName.id(of: recipe.group),
      let dropping = GroupName.id(of: recipe.droppers ?? recipe.group)
    else { return nil }
    (self.user, daemonGroup, self.droppers) = (user, group, dropping)
    insistsOnGroup = droppers != nil
  }

  /// Returns the state of a spool's directory.
  ///
  /// - Throws: ``FileError``, with ENOTDIR if there is something else.
  public func state(of path: String) throws(FileError) -> State {
    guard let facts = try ifPresent({ () throws(FileError) in try FileFacts(following: path) }) else { return .missing }
    guard facts.kind == .directory else { throw FileError("use", path: path, errno: ENOTDIR) }
    let isWanted = facts.owner == user && (!insistsOnGroup || facts.group == droppers)
    return isWanted ? .ready : Self.owners(facts)
  }

  private static func owners(_ facts: FileFacts) -> State {
    .others(owner: UserName.of(facts.owner), group: GroupName.of(facts.group))
  }

  /// Makes a spool, or gives a directory that is there the owner, group, mode and access control list of one.
  ///
  /// - Parameter found: the state in which it was found, and for which a person may have agreed to the change. It must still be
  ///   that: somebody who may write to the directory above could have put another one, or a link, in its place.
  /// - Returns: false if the file system has no access control lists: then the daemon reads what its group may read.
  public func makeSpool(_ path: String, found: State = .missing) throws(FileError) -> Bool {
    try make(path, found, droppers, 0o3770) { directory throws(FileError) in
      do throws(FileError) {
        try directory.setDefault(
          AccessList([
            .init(.owner, 7), .init(.user(user), 7), .init(.group, 0), .init(.mask, 7), .init(.others, 0),
          ]))
        return true
      } catch {
        guard error.code == "EOPNOTSUPP" else { throw error }
        return false
      }
    }
  }

  /// Makes an archive, which must not be there yet.
  public func makeArchive(_ path: String) throws(FileError) {
    _ = try make(path, .missing, daemonGroup, 0o2750) { _ throws(FileError) in true }
  }

  /// A new directory gets its name last, so that there is never one that is half made.
  private func make(
    _ path: String, _ found: State, _ group: UInt32, _ mode: UInt32, _ complete: (Directory) throws(FileError) -> Bool
  ) throws(FileError) -> Bool {
    // The owner last: a directory that has it counts as ready.
    func prepare(_ directory: Directory) throws(FileError) -> Bool {
      let isComplete = try complete(directory)
      try directory.descriptor.setPermissions(mode, path: path)
      try directory.descriptor.setOwner(user, group: group, path: path)
      return isComplete
    }
    guard found == .missing else {
      let directory = try Directory(path: path)
      guard Self.owners(try directory.facts()) == found else {
        throw FileError("change", path: path, errno: EEXIST, advice: .changedMeanwhile)
      }
      return try prepare(directory)
    }
    guard try state(of: path) == .missing else {
      throw FileError("make", path: path, errno: EEXIST, advice: .changedMeanwhile)
    }
    let (parent, name) = try Self.parent(of: path)
    let trial = Array(".waybill-new-".utf8) + name.prefix(200)
    do throws(FileError) {
      try parent.makeDirectory(trial, permissions: 0o700)
    } catch {
      // One that an earlier run left behind is finished now; one of somebody else's is not.
      guard error.code == "EEXIST", try [user, ProcessRights.user].contains(parent.facts(of: trial).owner) else {
        throw error
      }
    }
    let isComplete = try prepare(try parent.directory(trial))
    try parent.rename(trial, into: parent, as: name)
    try parent.sync(.configurationEntry)
    return isComplete
  }

  /// Opens the directory above a path, and makes what is missing of it, for everybody to enter, as install(1) does.
  private static func parent(of path: String) throws(FileError) -> (Directory, name: [UInt8]) {
    var parts = path.split(separator: "/").map { Array($0.utf8) }
    guard let name = parts.popLast() else { throw FileError("make", path: path, errno: EEXIST) }
    var directory = try Directory(path: "/")
    var whole = ""
    for part in parts {
      whole += "/" + String(decoding: part, as: UTF8.self)
      do throws(FileError) {
        try directory.makeDirectory(part, permissions: 0o755)
        directory = try directory.directory(part)
        // The umask applied.
        try directory.descriptor.setPermissions(0o755, path: whole)
      } catch {
        guard error.code == "EEXIST" else { throw error }
        directory = try Directory(path: whole)
      }
    }
    return (try Directory(path: whole.isEmpty ? "/" : whole), name)
  }
}

/// Shell commands, for people to copy, that create directories with the owner, group and mode that the daemon needs.
public struct DirectoryRecipe: Sendable {
  /// The daemon's user.
  let user: String
  /// The daemon's group.
  let group: String
  /// The group of those who drop files; nil if the system has none of the usual name.
  let droppers: String?

  /// The group that the package makes for those who drop files.
  private static let usualDroppers = "waybill-drop"
}

extension DirectoryRecipe {
  /// The recipe for a daemon of this user, with the names that the system has for users and groups; without an id, for this
  /// process's user.
  public init(of uid: UInt32? = nil) {
    self.init(user: UserName.of(uid ?? ProcessRights.user), droppers: nil)
  }

  /// The recipe for a daemon's user by name, with a group of droppers that is named, or else the usual one.
  public init(user: String, droppers: String?) {
    self.init(
      user: user, group: GroupName.ofUser(user) ?? user,
      droppers: droppers ?? (GroupName.id(of: Self.usualDroppers) == nil ? nil : Self.usualDroppers))
  }

  /// The commands that create a spool. Members of its group may drop files; the daemon may read them, and other droppers may not.
  public func spool(_ path: String) -> [String] {
    let path = Self.quoted(path)
    return [
      "install -d -o \(user) -g \(droppers ?? group) -m 3770 \(path)",
      "setfacl -d -m u::rwx,u:\(user):rwx,g::---,o::--- \(path)",
    ]
  }

  /// The commands that create an archive.
  public func archive(_ path: String) -> [String] { ["install -d -o \(user) -g \(group) -m 2750 \(Self.quoted(path))"] }

  /// Quotes a path as one word for a shell, if it needs that.
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
