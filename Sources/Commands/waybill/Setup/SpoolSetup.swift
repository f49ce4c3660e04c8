import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Spool

/// A directory that becomes a spool: with the owner, mode and access control list of the recipe that `waybill check` prints, and with
/// the drop-in that lets the service work there.
struct SpoolSetup {
  private let path: String
  private let archive: String?
  private let group: String?
  /// True if files stay where they are: then nothing of the directory is changed.
  private let keepsFiles: Bool
  private let place: SetupPlace
  /// Makes the directories; nil without root and the daemon's user: then all that can be done is to print.
  private let setup: DirectorySetup?
  private let state: DirectorySetup.State
  /// True if the archive has to be made.
  private let makesArchive: Bool
  /// The drop-ins for the directories where the unit does not let the daemon write.
  private let dropIns: [UnitDropIn]

  /// Looks at the directories.
  ///
  /// - Throws: ``CommandFailure`` if something is in the way, in words that say what to do.
  init(
    _ path: String, group: String? = nil, archive: String? = nil, keepsFiles: Bool = false, at place: SetupPlace,
    sandbox: UnitSandbox?
  ) throws {
    (self.path, self.group, self.archive, self.keepsFiles, self.place) = (path, group, archive, keepsFiles, place)
    let own = [keepsFiles ? nil : path, archive].compactMap(\.self)
    dropIns = place.isService ? own.filter { sandbox?.mayWrite($0) == false }.map { UnitDropIn(path: $0) } : []
    makesArchive = archive.map { !FileManager.default.fileExists(atPath: $0) } ?? false
    guard !keepsFiles || FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(words: "there is no \(path): where files stay, nothing is made, and the daemon only reads")
    }
    setup = ProcessRights.user == 0 ? DirectorySetup(user: place.user, droppers: group) : nil
    guard let setup else {
      guard ProcessRights.user != 0 || ProcessRights.user(named: place.user) == nil else {
        let name = DisplayText.escape(group ?? place.group)
        throw CommandFailure(words: "there is no group \(name): groupadd \(DirectoryRecipe.quoted(name))")
      }
      state = keepsFiles ? .ready : .missing
      return
    }
    state = keepsFiles ? .ready : try setup.state(of: path)
    // The group's bits are also the mask of an access control list that may let the daemon write.
    if let archive, !makesArchive, try DirectorySetup(user: place.user)?.state(of: archive) != .ready,
      try FileFacts(following: archive).permissions & 0o022 == 0
    {
      let commands = setup.recipe.archive(archive).joined(separator: " && ")
      throw CommandFailure(
        words: "\(archive) belongs to others, and the daemon cannot write there. To change that: \(commands)")
    }
  }

  /// The reason why a path cannot be a spool's that a unit can name; nil for one that can.
  static func fault(of path: String) -> String? {
    let isPlain =
      path.hasPrefix("/") && path.count > 1 && !path.contains("//") && !path.hasSuffix("/")
      && UnitDropIn.canName(path) && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    return isPlain
      ? nil
      : "\(DisplayText.escape(path)) is not an absolute path: begin it with /, without //, . or .. in it or / at its end, nor "
        + "quotes, a backslash or a colon, which a unit cannot name."
  }

  /// The commands that do the same as ``make()``.
  var commands: [String] {
    let recipe = setup?.recipe ?? DirectoryRecipe(user: place.user, droppers: group)
    var commands = state == .ready ? [] : recipe.spool(path)
    if let archive, makesArchive { commands += recipe.archive(archive) }
    guard let unit = place.unit, !dropIns.isEmpty else { return commands }
    return commands + dropIns.map { $0.command(for: unit) } + ["systemctl daemon-reload"]
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
          words:
            "\(path) belongs to \(owner):\(ownGroup), and stays so: run this at a terminal without --yes to take it, or "
            + "name another")
      }
      remarks.append("\(path) belongs to \(owner):\(ownGroup). A spool belongs to the daemon.")
      if owner != "root" {
        remarks.append("\(owner) keeps his access by: usermod -aG \(group ?? "waybill-drop") \(owner)")
      }
    }
    let names = try state == .missing ? [] : smallDirectoryNames(path: path, limit: .max)
    // The others are no files for a spool.
    let count = names.count { $0.first != UInt8(ascii: ".") }
    if count > 0 {
      let end = keepsFiles ? ", and stay" : archive.map { " and then moved to \($0)" } ?? " and then removed"
      let words = count == 1 ? "1 file is there. It will be sent" : "\(count) files are there. They will be sent"
      guard yes || confirm != nil else { throw CommandFailure(words: "\(words)\(end): --yes") }
      remarks.append("\(words)\(end).")
    }
    for remark in remarks { Output.folded(remark) }
    guard let confirm, !yes else { return }
    guard try await confirm(!remarks.isEmpty) else {
      throw CommandFailure(words: "nothing was changed")
    }
  }

  /// Makes the directories and the drop-ins.
  ///
  /// - Returns: true if a service that runs has to be restarted for it.
  func make() async throws -> Bool {
    let files = place.unit.map { unit in dropIns.map { $0.file(for: unit) } } ?? []
    for file in files { _ = try file.isThere() }
    let hasLists = try state == .ready ? true : setup?.makeSpool(path, found: state) ?? true
    if let archive, makesArchive { try setup?.makeArchive(archive) }
    var needsRestart = false
    if !hasLists, let group {
      // Without access control lists the daemon reads what a group may read. A service notices that at its start.
      Output.folded("\(path) has no access control lists: the daemon joins \(group), whose files it reads there")
      try await Program.require("usermod", ["-a", "-G", group, place.user])
      needsRestart = true
    }
    guard !files.isEmpty else { return needsRestart }
    for file in files { try file.write() }
    try await Program.require("systemctl", ["daemon-reload"])
    return true
  }
}
