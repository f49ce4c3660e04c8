import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Linux
import Spool

/// `waybill add`
struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put files into a spool the right way.",
    discussion: """
      Copies each file under a temporary name, syncs it to disk and renames it, so that the daemon never sees half a \
      file. Your own file stays. The copy keeps the extended attributes user.mime_type and user.waybill.NAME of your \
      file (not of a directory), and gets what --meta says. If a file of that name still waits in the spool, that file stays as it is and \
      the command reports an error. A name that the spool ignores is refused (exit status 64). A document or a sidecar \
      without the other one waits in the spool, and the command says so.

      A spool that takes directories as groups gets directories: each is copied with all files in it, and appears as \
      a whole. It must have its marker. A single file is refused there (exit status 64), and so are --meta and --wait.

      The command needs the right to write into the spool, usually by the group waybill-drop. If it may not use the \
      control socket, or no daemon runs, it reads the list of spools that the daemon leaves beside the socket \
      (spools.json), or takes the directory that --spool names; what it adds waits there until a daemon runs. --wait \
      needs the socket. What a killed add of the same user left in the spool is removed after a day.

      With --wait the command ends when each file is registered (exit status 0), or was aborted or cancelled or has \
      a question (exit status 1, with the reason). While a job waits for a time, a key or the network, the command \
      goes on waiting, and says on standard error what it waits for. With --timeout it gives up after that time (exit \
      status 1); the files are registered nevertheless, when they can be.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: ArgumentHelp("The files, or directories for a spool of groups.", valueName: "file"), completion: .file())
  var files: [String]
  @Option(
    help: ArgumentHelp("The spool, or its directory. May be left out if there is only one.", valueName: "name"),
    completion: .spools)
  var spool: String?
  @Option(help: "Another name for the file in the spool. For one file only.") var name: String?
  @Option(
    help: ArgumentHelp(
      """
      Metadata for the storage and the backend. The name may have a-z, 0-9 and -; it is not id and does not begin \
      with waybill-. May be repeated.
      """, valueName: "name=value"))
  var meta: [MetadataArgument] = []
  @Flag(help: "Wait until each file is registered. Exit status 1 if one is not, or has a question.") var wait = false
  @Option(
    help: ArgumentHelp(
      "With --wait: give up waiting after this time, such as 90s or 5min. The files stay in the spool.",
      valueName: "time"))
  var timeout: SpanArgument?
  @Flag(help: CommonHelp.json) var json = false

  func validate() throws {
    if timeout != nil, !wait { throw ValidationError("--timeout needs --wait.") }
    if name != nil, files.count != 1 { throw ValidationError("--name needs exactly one file.") }
    let names = meta.map(\.name)
    if let twice = names.first(where: { name in names.count(where: { $0 == name }) > 1 }) {
      throw ValidationError("--meta has \(twice) twice.")
    }
  }

  func run() async throws {
    try refuseNames()
    let client = try connection.client()
    let socket = connection.path(ProcessInfo.processInfo.environment)
    let choice = try await SpoolChoice.find(spool, client, socket: socket)
    if wait { try choice.requireDaemon(at: socket) }
    let spool = choice.spool
    try refuseFiles(spool)
    let pairs = AddedPairs(spool, names: files.map { FileName(bytes: Array(spoolName(of: $0))) })
    try refuseIgnored(spool, pairs)
    if wait, let sidecar = pairs.sidecar {
      throw CommandFailure(
        status: .validationFailure,
        words:
          "\(sidecar.shown) is a sidecar in spool \(DisplayText.escape(spool.name)) and gets no job of its own: leave "
          + "out --wait")
    }
    let thread: WorkerThreads
    do throws(ThreadError) {
      thread = try WorkerThreads(count: 1, name: "waybill-add")
    } catch {
      throw CommandFailure(status: ExitCode(1), words: error.description)
    }
    let drop: SpoolDrop
    do throws(FileError) {
      drop = SpoolDrop(
        spool: try Directory(path: spool.path), metadata: meta.map { ($0.name, Array($0.value.utf8)) },
        needsIdentity: wait, signals: try CaughtSignals())
    } catch {
      throw CommandFailure(adding: error, to: spool)
    }
    try await thread.run { AddRemains.remove(from: drop.spool, now: .now) }
    let trees = spool.marker.map { TreeDrop(spool: drop.spool, marker: $0, signals: drop.signals) }
    var report: [AddedFile] = []
    for file in files {
      var entry = AddedFile(file: file, name: FileName(bytes: Array(spoolName(of: file))), spool: spool.name)
      let path = ProgramArguments.bytes(of: file)
      let name = entry.nameBytes
      do {
        if let trees {
          entry.dropped = try await thread.run { try trees.put(path, as: name) }
        } else {
          if !pairs.isSidecar(entry.fileName) { try checkSize(of: file, spool) }
          entry.dropped = try await thread.run { try drop.put(path, as: name) }
          entry.waitsFor = pairs.partner(of: entry.fileName, in: drop.spool)
        }
      } catch let error as SpoolDrop.Problem {
        if let failure = CommandFailure(endingAll: error, spool) { throw failure }
        entry.error = error.inWords
      }
      if let signal = drop.signals.next() { drop.signals.letThrough(signal) }
      if !json {
        if let error = entry.error { Output.error(error) } else if !wait { Output.line(entry.sentence) }
      }
      report.append(entry)
    }
    if wait {
      let waiting = AddedJobs(
        client: client, spool: drop.spool, signals: drop.signals, deadline: timeout.map { .now + $0.duration })
      for index in report.indices where report[index].dropped != nil {
        try await waiting.waitFor(&report[index])
        guard !json else { continue }
        if let error = report[index].error { Output.error(error) } else { Output.line(report[index].sentence) }
      }
    }
    if let unasked = choice.unasked, report.contains(where: { $0.dropped != nil }) {
      let mayAsk = if case .notPermitted = unasked { false } else { true }
      // A person without the right to ask would be told by every call: that is for a terminal, not for the mail of cron.
      if mayAsk || Terminal.isWatched {
        let asked = mayAsk ? "no daemon answers" : "not permitted to ask the daemon"
        Output.error("\(asked) at \(socket): what was added waits in the spool until a daemon runs")
      }
    }
    if json { try Output.json(AddedFiles(added: report)) }
    if report.contains(where: { $0.error != nil }) { throw CommandFailure.jobs }
  }

  /// The last part of a path, or the requested name.
  private func spoolName(of file: String) -> ArraySlice<UInt8> {
    if let name { return ProgramArguments.bytes(of: name)[...] }
    let path = ProgramArguments.bytes(of: file)
    return path.split(separator: UInt8(ascii: "/")).last ?? []
  }

  /// Refuses a name that no spool takes. The options are right, so their usage would explain nothing.
  private func refuseNames() throws(CommandFailure) {
    for file in files {
      let name = [UInt8](spoolName(of: file))
      guard !name.isEmpty, name != Array("..".utf8) else {
        throw CommandFailure(status: .validationFailure, words: "'\(DisplayText.escape(file))' names no file")
      }
      guard name.first != UInt8(ascii: "."), !name.contains(UInt8(ascii: "/")) else {
        throw CommandFailure(
          status: .validationFailure,
          words: "the name '\(FileName(bytes: name).shown)' begins with a dot or has a slash, which a spool does not "
            + "accept; give another name with --name")
      }
    }
  }

  /// Refuses single files for a spool that takes only directories, where they would wait for ever, and what directories cannot have.
  private func refuseFiles(_ spool: SpoolMessage) throws(CommandFailure) {
    guard let marker = spool.marker else { return }
    let name = DisplayText.escape(spool.name)
    let refused =
      if let file = files.first(where: { (try? FileFacts(following: $0))?.kind == .regular }) {
        // Ignored: whatever cannot be looked at is reported when it is copied.
        "'\(DisplayText.escape(file))' is a file, and spool \(name) takes directories as groups, each with its marker "
          + "\(DisplayText.escape(marker)): add the directory"
      } else if !meta.isEmpty {
        "spool \(name) takes directories, which have no metadata of their own: leave out --meta"
      } else if wait {
        "spool \(name) takes directories, which are taken once nothing in them has changed for a while: leave out --wait"
      } else {
        nil as String?
      }
    if let refused { throw CommandFailure(status: .validationFailure, words: refused) }
  }

  /// Refuses a file that the spool ignores: it would wait there for ever.
  private func refuseIgnored(_ spool: SpoolMessage, _ pairs: AddedPairs) throws {
    for file in files {
      let name = [UInt8](spoolName(of: file))
      guard
        spool.only.isEmpty || spool.marker != nil || pairs.isSidecar(FileName(bytes: name))
          || spool.only.contains(where: { ShellPattern($0).matches(name) })
      else {
        let patterns = spool.only.map { DisplayText.escape($0) }.joined(separator: ", ")
        throw CommandFailure(
          status: .validationFailure,
          words: "spool \(DisplayText.escape(spool.name)) does not take the name '\(FileName(bytes: name).shown)' (it "
            + "takes \(patterns)); give another name with --name")
      }
      if let match = spool.match, spool.unmatched == SpoolOptions.Unmatched.ignore.rawValue,
        !pairs.isSidecar(FileName(bytes: name)),
        NameMatcher(NamePattern(match, captures: [])).match(FileName(bytes: name)) == .unmatched
      {
        throw CommandFailure(
          status: .validationFailure,
          words: "spool \(DisplayText.escape(spool.name)) does not take the name '\(FileName(bytes: name).shown)' (it "
            + "does not match '\(DisplayText.escape(match))'); give another name with --name")
      }
      guard let pattern = spool.ignore.first(where: { ShellPattern($0).matches(name) }) else { continue }
      throw CommandFailure(
        status: .validationFailure,
        words: "spool \(DisplayText.escape(spool.name)) ignores the name '\(FileName(bytes: name).shown)' (it matches "
          + "'\(DisplayText.escape(pattern))'); give another name with --name")
    }
  }

  /// Throws for a file whose size the spool does not take. A file that is missing, or is no regular file, is reported when it is
  /// copied.
  private func checkSize(of file: String, _ spool: SpoolMessage) throws(SpoolDrop.Problem) {
    let size: Int64?
    do throws(FileError) {
      size = try fileSize(path: file)
    } catch {
      return
    }
    guard let size else { return }
    let reason: String? =
      if size == 0, !spool.takesEmpty {
        "is empty, and the spool leaves empty files alone"
      } else if size < spool.minSize {
        "has \(Words.bytes(size)), and the spool takes files from \(Words.bytes(spool.minSize)) on"
      } else if let most = spool.maxSize, size > most {
        "has \(Words.bytes(size)), and the spool takes files up to \(Words.bytes(most))"
      } else {
        nil
      }
    if let reason { throw .file("'\(DisplayText.escape(file))' \(reason)") }
  }
}

/// `NAME=VALUE` on the command line.
struct MetadataArgument: ExpressibleByArgument {
  var name: String
  var value: String

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "=") else { return nil }
    name = String(argument[..<equals])
    value = String(argument[argument.index(after: equals)...])
    // Reserved for the daemon (user.waybill.id, x-amz-meta-waybill-id).
    guard Self.isName(name), name != "id", !name.hasPrefix("waybill-") else { return nil }
  }

  /// True if the text has only characters that are the same in an attribute's name and in a header's.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "-")
      }
  }
}

extension CommandFailure {
  /// Creates the failure for an error of the spool's directory itself.
  init(adding error: FileError, to spool: SpoolMessage) {
    guard error.code == "EACCES" || error.code == "EPERM" else {
      self.init(status: ExitCode(1), words: error.words)
      return
    }
    // Ignored: the directory may be closed to this user even for a look; then the words are general.
    let facts = try? FileFacts(following: spool.path)
    let way =
      switch facts {
      case nil: "join its group, or use sudo"
      case let facts? where facts.permissions & 0o020 != 0:
        "join the group \(DisplayText.escape(GroupName.of(facts.group))), or use sudo"
      case let facts?: "only \(DisplayText.escape(UserName.of(facts.owner))) may: use sudo"
      }
    self.init(
      status: .notPermitted,
      words: "not permitted to drop files into \(DisplayText.escape(spool.path)): \(way) (\(error.reason))")
  }

  /// Creates the failure that ends the command, if no other file can succeed either; nil for a problem of one file.
  init?(endingAll problem: SpoolDrop.Problem, _ spool: SpoolMessage) {
    switch problem {
    case .spool(let error): self.init(adding: error, to: spool)
    case .noAttributes, .file: return nil
    }
  }
}
