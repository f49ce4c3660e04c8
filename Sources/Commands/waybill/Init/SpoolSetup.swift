import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Spool

/// A directory that becomes a spool: with the owner, mode and access control list of the recipe that `waybill check` prints, and with
/// the drop-in that lets the service work there.
struct SpoolSetup {
  let path: String
  private let archive: String?
  private let group: String?
  /// True if files stay where they are: then nothing of the directory is changed.
  private let keepsFiles: Bool
  private let place: SetupPlace
  private let setup: DirectorySetup?
  private let state: DirectorySetup.State
  /// The archive, if it has to be made.
  private let newArchive: String?
  /// The directories where the unit does not let the daemon write.
  private let closed: [String]

  /// Looks at the directories.
  ///
  /// - Throws: ``CommandFailure`` if something is in the way, in words that say what to do.
  init(
    _ path: String, group: String? = nil, archive: String? = nil, keepsFiles: Bool = false, at place: SetupPlace,
    sandbox: UnitSandbox?
  ) throws(CommandFailure) {
    (self.path, self.group, self.archive, self.keepsFiles, self.place) = (path, group, archive, keepsFiles, place)
    setup = ProcessRights.user == 0 ? DirectorySetup(user: place.user, droppers: group) : nil
    let own = (keepsFiles ? [] : [path]) + (archive.map { [$0] } ?? [])
    closed = own.filter { sandbox?.mayWrite($0) == false }
    newArchive = archive.flatMap { FileManager.default.fileExists(atPath: $0) ? nil : $0 }
    guard !keepsFiles || FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        status: .failure, words: "there is no \(path): where files stay, nothing is made, and the daemon only reads")
    }
    // Without root and the daemon's user, all that can be done is to print.
    guard let setup else {
      guard ProcessRights.user != 0 || ProcessRights.user(named: place.user) == nil else {
        let name = DisplayText.escape(group ?? place.group)
        throw CommandFailure(
          status: .failure, words: "there is no group \(name): groupadd \(DirectoryRecipe.quoted(name))")
      }
      state = keepsFiles ? .ready : .missing
      return
    }
    var closedArchive: String?
    do throws(FileError) {
      state = keepsFiles ? .ready : try setup.state(of: path)
      // The group's bits are also the mask of an access control list that may let the daemon write.
      if let archive, newArchive == nil, try DirectorySetup(user: place.user)?.state(of: archive) != .ready,
        try FileFacts(following: archive).permissions & 0o022 == 0
      {
        closedArchive = archive
      }
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    if let closedArchive {
      let commands = setup.recipe.archive(closedArchive).joined(separator: " && ")
      throw CommandFailure(
        status: .failure,
        words: "\(closedArchive) belongs to others, and the daemon cannot write there. To change that: \(commands)")
    }
  }

  /// True if a path can be a spool's, and a unit can name it.
  static func isPlain(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path.count > 1, !path.contains("//"), !path.hasSuffix("/"), UnitDropIn.canName(path)
    else { return false }
    return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  /// The commands that do the same as ``make()``.
  var commands: [String] {
    let recipe = setup?.recipe ?? DirectoryRecipe(user: place.user, droppers: group)
    var commands = state == .ready ? [] : recipe.spool(path)
    if let newArchive { commands += recipe.archive(newArchive) }
    guard place.isService, let unit = place.unit, !closed.isEmpty else { return commands }
    return commands + closed.map { UnitDropIn(path: $0).command(for: unit) } + ["systemctl daemon-reload"]
  }

  /// Says whose directory it is, and how many files of it will be sent; then has a person agree.
  ///
  /// - Parameters:
  ///   - yes: true if nobody wants to be asked. A directory is taken from its owner only if somebody says yes.
  ///   - confirm: asks, with true if there is something to think of; nil if nobody is there.
  /// - Throws: ``CommandFailure`` after a no, or if nobody can be asked.
  func agree(yes: Bool, _ confirm: ((_ needsThought: Bool) async throws -> Bool)?) async throws {
    var remarks: [String] = []
    if case .others(let owner, let ownGroup) = state {
      guard confirm != nil, !yes else {
        throw CommandFailure(
          status: .failure,
          words:
            "\(path) belongs to \(owner):\(ownGroup), and stays so: run this at a terminal without --yes to take it, or "
            + "name another")
      }
      remarks.append("\(path) belongs to \(owner):\(ownGroup). A spool belongs to the daemon.")
      if owner != "root" {
        remarks.append("\(owner) keeps his access by: usermod -aG \(group ?? "waybill-drop") \(owner)")
      }
    }
    let count = try state == .missing ? 0 : files()
    if count > 0 {
      let end =
        keepsFiles ? ", and stay" : archive.map { " and then moved to \($0)" } ?? " and then removed"
      let words =
        count == 1 ? "1 file is there. It will be sent\(end)" : "\(count) files are there. They will be sent\(end)"
      guard yes || confirm != nil else { throw CommandFailure(status: .failure, words: "\(words): --yes") }
      remarks.append(words + ".")
    }
    for remark in remarks { Output.folded(remark) }
    guard let confirm, !yes else { return }
    guard try await confirm(!remarks.isEmpty) else {
      throw CommandFailure(status: .failure, words: "nothing was changed")
    }
  }

  /// The number of names that a spool would look at.
  private func files() throws(CommandFailure) -> Int {
    do throws(FileError) {
      let listing = try Directory(path: path).listing()
      var count = 0
      while let entry = try listing.next() { if entry.name.first != UInt8(ascii: ".") { count += 1 } }
      return count
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// Makes the directories and the drop-ins.
  ///
  /// - Returns: true if a service that runs has to be restarted for it.
  func make() async throws(CommandFailure) -> Bool {
    var hasLists = true
    do throws(FileError) {
      if let setup, state != .ready { hasLists = try setup.makeSpool(path, found: state) }
      if let setup, let newArchive { try setup.makeArchive(newArchive) }
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    if !hasLists, let group {
      // Without access control lists the daemon reads what a group may read. A service notices that at its start.
      Output.folded("\(path) has no access control lists: the daemon joins \(group), whose files it reads there")
      try await Program.require("usermod", ["-a", "-G", group, place.user])
    }
    guard place.isService, let unit = place.unit, !closed.isEmpty else { return !hasLists && group != nil }
    for path in closed { try UnitDropIn(path: path).write(for: unit) }
    try await Program.require("systemctl", ["daemon-reload"])
    return true
  }
}
