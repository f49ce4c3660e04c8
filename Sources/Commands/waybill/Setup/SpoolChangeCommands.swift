import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Linux
import Messages
import Settings
import Spool

struct SpoolRenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a spool another name in the configuration.",
    discussion: """
      Changes the file that waybill spool add has written, and has the daemon read it. The directory stays. It refuses \
      while jobs of the spool are not done: their files are found by the name. From then on, {spool} in a key is the \
      new name. It runs as root, and needs the daemon.
      """)

  @Argument(help: ArgumentHelp("The spool.", valueName: "old")) var name: String
  @Argument(help: ArgumentHelp("Its new name.", valueName: "new")) var newName: String
  @OptionGroup var options: SpoolOptionGroup

  func validate() throws {
    guard name != newName else { throw ValidationError("The spool has this name already.") }
  }

  func run() async throws {
    let spool = try AddedSpool(name, options)
    try await spool.requireNoJobs()
    try spool.rename(to: newName)
    try await ReloadCommand.carryOut(spool.client)
  }
}

struct SpoolRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a spool out of the configuration.",
    discussion: """
      Removes the file that waybill spool add has written, has the daemon read its configuration, and says what remains. It \
      refuses while jobs of the spool are not done, or files are in it. It runs as root, and needs the daemon.
      """)

  @Argument(help: ArgumentHelp("The spool.", valueName: "name")) var name: String
  @OptionGroup var options: SpoolOptionGroup

  func run() async throws {
    let spool = try AddedSpool(name, options)
    try await spool.requireNoJobs()
    try spool.check([], added: [])
    try spool.requireNoFiles()
    try Directory(path: spool.file.folder).remove(spool.file.name)
    try await ReloadCommand.carryOut(spool.client)
    let (path, archive) = (spool.options.path, spool.options.archivePath)
    let setup = SpoolSetup(
      path: path, archive: archive, group: nil, keepsFiles: spool.options.keepsFiles, place: options.place)
    let dropIns = setup.dropIns.map(\.path).filter { FileManager.default.fileExists(atPath: $0) }
    let remains = dropIns + [path] + [archive].compactMap(\.self)
    Output.line("What remains, to be removed by hand:")
    for path in remains { Output.line("  \(DisplayText.escape(path))") }
  }
}

struct SpoolOptionGroup: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Option(help: .config, completion: .file(extensions: ["toml"])) var config = SetupPlace.usual

  func validate() throws { try SetupPlace.validate(config, instance: connection.instance) }

  var place: SetupPlace { SetupPlace(configuration: config, instance: connection.instance) }
}

/// A spool whose section `waybill spool add` wrote into a file of its own.
struct AddedSpool {
  static let heading = "# Made by waybill spool add.\n"

  let options: SpoolOptions
  let file: (folder: String, name: [UInt8])
  private let path: String
  private let text: String
  private let before: Configuration
  private let place: SetupPlace
  let client: ControlClient

  /// Finds a spool of the configuration by its name.
  /// - Throws: ``CommandFailure`` for an unknown name, or a file that a person wrote.
  init(_ name: String, _ group: SpoolOptionGroup) throws {
    guard ProcessRights.user == 0 else {
      throw CommandFailure(status: .notPermitted, words: "run it as root: sudo waybill spool …")
    }
    (place, client) = (group.place, try group.connection.client())
    before = try place.load(ProcessInfo.processInfo.environment)
    guard let found = before.spools.first(where: { $0.name == name }), let origin = before.places[name] else {
      let names = before.spools.map(\.name).joined(separator: ", ")
      throw CommandFailure(words: "there is no spool \(DisplayText.escape(name)); the spools are: \(names)")
    }
    (options, path, file) = (found, origin.file, SetupFile.parts(of: origin.file))
    // Ignored: a file that cannot be read is as one that a person wrote.
    text = (try? readSmallFile(path: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard file.folder == Configuration.folder(of: place.configuration), text.hasPrefix(Self.heading) else {
      let line = origin.line.map { ", line \($0)" } ?? ""
      throw CommandFailure(
        words: "waybill spool add has not written \(name): change it in \(DisplayText.escape(path))\(line), then "
          + "waybill\(place.option) reload")
    }
  }

  /// Reads the configuration with other bytes in the file, which may only remove the spool and add what is named, such as `spool.new`.
  /// - Throws: `ConfigurationError` for an error in it, and ``CommandFailure`` if more would change.
  func check(_ bytes: [UInt8], added: [String]) throws {
    let after = try place.load(
      ProcessInfo.processInfo.environment, adding: SetupFile(path: path, bytes: bytes, remedy: ""))
    let changes = after.changes(from: before)
    guard changes.added == added, changes.removed == ["spool.\(options.name)"], changes.changed.isEmpty,
      changes.needsRestart.isEmpty
    else {
      throw CommandFailure(words: "\(path) was changed by hand, and has more than the spool: change it by hand")
    }
  }

  /// Gives the spool another name in the file, in one step, and then names the file by it, unless that name is taken.
  /// - Throws: as ``check(_:added:)``; `FileError`.
  func rename(to name: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let line = "name = \(TOMLText.quoted(name))"
    if let index = lines.firstIndex(where: { $0.prefixMatch(of: /\s*name\s*=/) != nil }) {
      lines[index] = line
    } else if let index = lines.firstIndex(of: "[[spool]]") {
      lines.insert(line, at: index + 1)
    }
    let bytes = Array(lines.joined(separator: "\n").utf8)
    try check(bytes, added: ["spool.\(name)"])
    let (facts, folder, hidden) = (try FileFacts(following: path), try Directory(path: file.folder), ".\(name).toml")
    // A rename that was killed has left it.
    _ = try ifPresent { () throws(FileError) in try folder.remove(Array(hidden.utf8)) }
    try createSmallFile(
      path: "\(file.folder)/\(hidden)", bytes, owner: (facts.owner, facts.group), permissions: facts.permissions)
    try folder.rename(Array(hidden.utf8), replacing: file.name)
    // Ignored: any name does.
    try? folder.rename(file.name, into: folder, as: Array(hidden.utf8.dropFirst()))
  }

  /// Throws if jobs of the spool are not done, or if the daemon that answers is another one.
  func requireNoJobs() async throws {
    let known = try await client.status().spools
    guard known.contains(where: { $0.name == options.name && $0.path == options.path }) else {
      throw CommandFailure(
        words: "the daemon has no spool \(options.name) at \(options.path): waybill\(place.option) reload, or name its "
          + "--socket")
    }
    let count = try await client.openJobs(of: options.name)
    guard count > 0 else { return }
    throw CommandFailure(
      words:
        "\(Words.count(count, "job", "jobs")) of \(options.name) \(count == 1 ? "is" : "are") not done, and nothing was "
        + "changed: waybill\(place.option) list --spool \(options.name)")
  }

  /// Throws if files that the daemon would take are in the spool, or files of jobs. Files that stay in the spool do not count.
  func requireNoFiles() throws {
    guard !options.keepsFiles else { return }
    let wanted = WantedNames(options)
    let jobs = options.path + "/.waybill"
    let files =
      try names(options.path).count { try wanted.contains(FileName(bytes: $0)) && mayBeTaken($0) }
      + names(jobs).count { JobID(String(decoding: $0.prefix(36), as: UTF8.self)) != nil }
    guard files > 0 else { return }
    throw CommandFailure(
      words:
        "\(Words.count(files, "file is", "files are")) in \(options.path), and nothing was changed: wait until Waybill "
        + "has sent them, or move them away")
  }

  private func mayBeTaken(_ name: [UInt8]) throws(FileError) -> Bool {
    if options.recursive || options.group != nil { return true }
    return try ifPresent { () throws(FileError) in try Directory(path: options.path).facts(of: name).kind } == .regular
  }

  private func names(_ path: String) throws(FileError) -> [[UInt8]] {
    try ifPresent { () throws(FileError) in try smallDirectoryNames(path: path, limit: .max) } ?? []
  }
}
