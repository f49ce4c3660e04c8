import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why a file is a job, is not a job, or is not yet a job.",
    discussion: """
      For a file that stays in a spool it shows the reason (a program has it open, its name is ignored, a permission \
      is missing ...) and the remedy. For a job it shows why the job does not move, and what ends that.

      Give a path, a name, or the number or id of a job. A name is looked up in the current directory, in all spools \
      and among the jobs. Exit status 1 if nothing is found.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: ArgumentHelp("Paths or names of files, or numbers of jobs.", valueName: "file"), completion: .file())
  var files: [String]
  @Flag(help: .json) var json = false

  func run() async throws {
    let client = try connection.client()
    var all = ExplainAnswer(files: [])
    for file in files {
      let argument = ProgramArguments.bytes(of: file)
      guard !argument.isEmpty else { throw CommandFailure.usage("a file's name cannot be empty") }
      all.files += try await Self.explanations(of: argument, over: client)
    }
    if json {
      Output.json(all)
    } else {
      let lines = all.files.map { ExplainReport($0, now: .now, terminal: .standardOutput).lines }
      for line in lines.joined(separator: [""]) { Output.line(line) }
    }
    if all.files.allSatisfy(\.isUnknown) { throw CommandFailure.jobs }
  }

  /// Returns what the daemon knows of an argument. A bare name that is a file here, outside of all spools, may also be that of a file
  /// in a spool, or of a job: then that comes first.
  private static func explanations(
    of argument: [UInt8], over client: ControlClient
  ) async throws -> [Explanation] {
    let path = path(of: argument)
    let here = try await client.explain(ExplainQuery(path: path)).files
    guard path != argument, !argument.contains(UInt8(ascii: "/")), here.allSatisfy(\.isInNoSpool) else { return here }
    let named = try await client.explain(ExplainQuery(path: argument)).files
    return named.allSatisfy(\.isUnknown) ? here : named
  }

  /// Returns the path of an argument from the root; a bare name that is not here stays a name.
  static func path(of argument: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    if argument.first == slash { return argument }
    guard let here = realPath([UInt8(ascii: ".")]) else { return argument }
    let path = here + [slash] + argument
    if argument.contains(slash) {
      // The spool's own part of the path may have links in it; the file itself is not followed.
      let name = FileName(bytes: path)
      return realPath(name.path).map { $0 + [slash] + name.last.bytes } ?? path
    }
    // Ignored: a file that cannot be looked at here is searched by its name.
    return (try? Directory(path: ".").facts(of: argument)) == nil ? argument : path
  }
}

extension Explanation {
  fileprivate var isUnknown: Bool {
    jobs.isEmpty && ["missing", "in-no-spool"].contains(reasons.first?.reason)
  }

  fileprivate var isInNoSpool: Bool { reasons.first?.reason == "in-no-spool" }
}

struct ExplainReport {
  private(set) var lines: [String] = []

  init(_ file: Explanation, now: Timestamp, terminal: Terminal) {
    let spool = file.spool.map { " (spool \(DisplayText.escape($0)))" } ?? ""
    lines.append(terminal.styled(DisplayText.escape(file.path), .heading) + spool)
    for (index, reason) in file.reasons.enumerated() {
      let isFine = ["ready", "registered", "active", "queued", "settling", "unseen"].contains(reason.reason)
      let words = (index == 0 ? "" : "then: ") + DisplayText.escape(reason.detail.shown)
      lines += terminal.lines("  " + words, isFine ? .good : .attention, indent: 4)
      if let remedy = reason.remedy {
        lines += terminal.lines("  -> " + DisplayText.escape(remedy.text), indent: 5)
      }
    }
    if let until = file.until, until > now {
      lines.append("  in \(Words.age(until - now)) at the soonest, if nothing happens to it")
    }
    // The first reason may be a job's own state.
    let isJob = file.reasons.first.flatMap { JobState(rawValue: $0.reason) } != nil
    let others = file.jobs.dropFirst(isJob ? 1 : 0)
    for job in others {
      let end = job.finishedAt.map { " at \(Words.time($0))" } ?? ""
      lines += terminal.lines("  earlier: job \(job.job), \(job.stateWord)\(end)", indent: 4)
    }
  }
}
