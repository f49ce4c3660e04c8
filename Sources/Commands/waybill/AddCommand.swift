import ArgumentParser
import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux
import Messages
import Spool

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put files into a spool the right way.",
    discussion: """
      Copies each file under a temporary name, syncs it to disk and renames it, so that the daemon never sees half a \
      file. The copy keeps the attributes user.mime_type and user.waybill.NAME. If a file of that name waits in the \
      spool, the command reports an error. If the spool would not take a file, nothing is added (exit status 64). To \
      add a directory as a group, see waybill-drop(7).

      The command needs permission to write into the spool, usually by the group waybill-drop. Without access to the \
      control socket, or without a daemon, give the spool's directory with --spool; --wait needs the socket. A \
      killed add leaves a hidden file .waybill-add-ID, which is never sent.

      With --wait it ends with status 0 when all files are registered, or 1 when one is aborted, cancelled or has a \
      question. While a job waits for a time, a key or the network, it reports that on standard error and waits. If \
      it is stopped, the files are sent anyway.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]
  @Option(
    help: ArgumentHelp("The spool, or its directory. Optional if there is only one.", valueName: "name"))
  var spool: String?
  @Option(help: "Another name in the spool, for one file.") var name: String?
  @Option(
    help: ArgumentHelp(
      """
      Metadata for the storage and the backend. The name may have a-z, 0-9 and -; it is not id and does not begin \
      with waybill-. May be repeated.
      """, valueName: "name=value"))
  var meta: [MetadataArgument] = []
  @Flag(help: "Wait until each file is registered.") var wait = false
  @Flag(help: .json) var json = false

  func validate() throws {
    if name != nil, files.count != 1 { throw ValidationError("--name needs exactly one file.") }
    let names = meta.map(\.name)
    if let twice = names.first(where: { name in names.count(where: { $0 == name }) > 1 }) {
      throw ValidationError("--meta has \(twice) twice.")
    }
  }

  func run() async throws {
    let names = try files.map { try spoolName(of: $0) }
    let client = try connection.client()
    let choice = try await SpoolChoice(spool, client)
    let spool = choice.spool
    if wait, let unasked = choice.unasked { throw unasked }
    var report = zip(files, names).map { AddedFile(file: $0, fileName: $1, spool: spool.name) }
    if choice.unasked == nil {
      for entry in report { try await refuse(entry, spool, client) }
    }
    let drop: SpoolDrop
    do {
      drop = SpoolDrop(
        spool: try Directory(path: spool.path), metadata: meta.map { ($0.name, Array($0.value.utf8)) },
        needsIdentity: wait,
        signals: try CaughtSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT], ignored: false))
      try await add(&report, drop)
    } catch let error as FileError {
      throw CommandFailure(adding: error, to: spool.path)
    }
    if wait {
      let waiting = AddedJobs(client: client, drop: drop)
      for index in report.indices where report[index].dropped != nil {
        try await waiting.waitFor(&report[index])
        say(report[index])
      }
    }
    if case .noDaemon(let socket, _)? = choice.unasked, report.contains(where: { $0.dropped != nil }) {
      Output.error("no daemon answers at \(socket): what was added waits in the spool until a daemon runs")
    }
    if json {
      var text = JSONText()
      text.object { $0.member("added", array: { text in for file in report { file.write(into: &text) } }) }
      Output.json(text.bytes)
    }
    if report.contains(where: { $0.error != nil }) { throw CommandFailure.jobs }
  }

  /// Returns the last part of a path, or the requested name, for a file that a spool could take. The options are right, so their usage would explain nothing.
  private func spoolName(of file: String) throws(CommandFailure) -> FileName {
    let slash = UInt8(ascii: "/")
    let bytes = ProgramArguments.bytes(of: name ?? file)
    let name = name == nil ? Array(bytes.split(separator: slash).last ?? []) : bytes
    guard !name.isEmpty, name != Array("..".utf8) else {
      throw CommandFailure.usage("'\(DisplayText.escape(file))' names no file")
    }
    guard name.first != UInt8(ascii: "."), !name.contains(slash) else {
      throw CommandFailure.usage(
        "the name '\(FileName(bytes: name).shown)' begins with a dot or has a slash, which a spool does not "
          + "accept; give another name with --name")
    }
    // Ignored: the copy reports a file that cannot be looked at.
    guard (try? FileFacts(following: file))?.kind != .directory else {
      throw CommandFailure.usage(
        "\(DisplayText.escape(file)) is a directory: waybill-drop(7) has the commands that put one into a spool")
    }
    return FileName(bytes: name)
  }

  /// Refuses a file that the spool would leave alone for ever, and a wait for one that gets no job.
  private func refuse(
    _ entry: AddedFile, _ spool: SpoolMessage, _ client: ControlClient
  ) async throws {
    // Ignored: the copy reports a file that cannot be looked at.
    guard let facts = try? FileFacts(following: entry.file), facts.kind == .regular else { return }
    let query = ExplainQuery(path: Array("\(spool.path)/".utf8) + entry.fileName.bytes, size: facts.size)
    guard let reason = try await client.explain(query).files.first?.reasons.first else { return }
    let (name, shown) = (DisplayText.escape(spool.name), entry.fileName.shown)
    guard FileStatus.Reason(rawValue: reason.reason)?.isLasting != true else {
      let isName = [.ignored, .unmatched].contains(FileStatus.Reason(rawValue: reason.reason))
      throw CommandFailure.usage(
        "spool \(name) would not take \(shown): \(reason.inWords)"
          + (isName ? "; give it another name with --name" : ""))
    }
    guard !wait || reason.reason != FileStatus.Reason.awaitingDocument.rawValue else {
      throw CommandFailure.usage("\(shown) is a sidecar in spool \(name) and gets no job of its own: leave out --wait")
    }
  }

  private func add(_ report: inout [AddedFile], _ drop: SpoolDrop) async throws {
    let thread = try WorkerThreads(count: 1, name: "waybill-add")
    for index in report.indices {
      let (path, name) = (ProgramArguments.bytes(of: report[index].file), report[index].fileName.bytes)
      do {
        report[index].dropped = try await thread.run { try drop.put(path, as: name) }
      } catch let failure as CommandFailure {
        report[index].error = failure.words
      }
      if let signal = drop.signals.next() { drop.signals.letThrough(signal) }
      if !wait || report[index].error != nil { say(report[index]) }
    }
  }

  private func say(_ entry: AddedFile) {
    guard !json else { return }
    if let error = entry.error { Output.error(error) } else { Output.line(entry.sentence) }
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
    // Only characters that are the same in an attribute's name and in a header's. The others are reserved for the daemon
    // (user.waybill.id, x-amz-meta-waybill-id).
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber) || $0 == "-" }), name != "id",
      !name.hasPrefix("waybill-")
    else { return nil }
  }
}

extension CommandFailure {
  init(adding error: FileError, to path: String) {
    guard error.code == "EACCES" || error.code == "EPERM" else {
      self.init(words: error.words)
      return
    }
    self.init(
      status: .notPermitted,
      words: "not permitted to drop files into \(DisplayText.escape(path)): join its group, or use sudo "
        + "(\(error.reason))")
  }
}
