import ArgumentParser
import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux
import Settings

/// `waybill init`
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Set Waybill up: storage, keys, spool, backend, service.",
    discussion: """
      Asks for all that no option gives, shows the plan, and asks once. It then tries the storage and the backend as \
      check --probe does, makes the spool with its access control list, writes keys and configuration, and starts \
      the service. It runs as root, without a daemon.

      It overwrites nothing, and keeps nothing unless the trial succeeds or you continue anyway. After a failed \
      trial it asks again; Enter keeps an answer. A later run continues an interrupted one. If there is a \
      configuration, it changes nothing: use waybill spool add. Files that are already in the spool's directory are \
      sent and then removed: it shows their number.

      With --yes it asks nothing, and all answers must be options.

      Exit status: 1 something is in the way; 64 an option is missing or wrong; 77 not root; 78 the storage or the \
      backend does not work with these settings.
      """)

  @OptionGroup var options: InitOptions
  @OptionGroup var common: SetupOptions

  private var place: SetupPlace { common.place }
  /// True if the service is started at the end.
  private var starts: Bool { place.isService && !options.noStart }

  func run() async throws {
    try common.requireRoot("init")
    try requireNoConfiguration()
    if !common.prints { try place.requireWritable() }
    let environment = ProcessInfo.processInfo.environment
    var answers = try options.answers(environment)
    let asker = !common.yes && TerminalKeys.isPossible ? try Asker() : nil
    defer { asker?.person.keys.restore() }
    if let dialog = asker?.dialog {
      let count = InitDialog.count(answers)
      Output.folded("At most \(count) questions; nothing is changed before the last one. ? explains a question.")
      try await dialog.complete(&answers)
    } else if !common.yes, !common.prints {
      throw CommandFailure(
        status: .validationFailure, words: "init asks at a terminal; elsewhere use --yes, with options")
    } else if !answers.missing.isEmpty {
      throw CommandFailure(
        status: .validationFailure, words: "missing: \(answers.missing.joined(separator: ", "))")
    }
    let text = SetupText.configuration(answers, keys: place.keys)
    do throws(ConfigurationError) {
      _ = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: Array(text.utf8)])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
    let spool = try SpoolSetup(
      answers.spool ?? SetupAnswers.usualSpool, group: common.group, at: place,
      sandbox: UnitSandbox(ofConfiguration: place.configuration))
    guard !common.prints else {
      show(answers, spool)
      return Output.line("\(place.configuration):\n\(text.dropLast())")
    }
    var dropsTest = options.testFile
    if let dialog = asker?.dialog, !dropsTest, starts {
      let question = "Drop a test file at the end, which your backend registers?"
      dropsTest = try await dialog.confirm(question, usually: false)
    }
    show(answers, spool)
    let dialog = asker?.dialog
    try await spool.agree(
      yes: common.yes, dialog.map { dialog in { try await dialog.confirm("Do it?", usually: !$0) } })
    try await tryOut(&answers, asker, environment)
    async let _: Void? = asker?.watch()
    _ = try await spool.make()
    for key in SetupText.keyFiles(answers) {
      let path = place.keys + key.name
      if try !place.has(key.secret, in: path) { try place.write(path, key.secret.bytes + [0x0A]) }
    }
    try place.write(place.configuration, Array(SetupText.configuration(answers, keys: place.keys).utf8))
    try await start(environment)
    if dropsTest, starts { try await dropTestFile(spool) }
  }

  /// Throws if there is a configuration: it is never changed.
  private func requireNoConfiguration() throws(CommandFailure) {
    let folder = Configuration.folder(of: place.configuration)
    // Ignored: usually there is no such folder.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.sorted().filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    let isThere = FileManager.default.fileExists(atPath: place.configuration)
    guard let file = isThere ? place.configuration : files.first else { return }
    let start = place.unit.map { " To start it: systemctl enable --now \($0)." } ?? ""
    throw CommandFailure(
      status: .failure,
      words: "\(file) is there, and stays.\(start) Another spool: waybill\(place.option) spool add PATH. "
        + "To try the settings: waybill check --probe")
  }

  /// Shows what is going to be done.
  private func show(_ answers: SetupAnswers, _ spool: SpoolSetup) {
    var lines = [
      "try bucket \(answers.bucket ?? "") at \(answers.endpoint ?? ""), and backend \(answers.backend ?? "")"
    ]
    lines += spool.commands
    lines += SetupText.keyFiles(answers).map { "write \(place.keys)\($0.name)" } + ["write \(place.configuration)"]
    if starts, let unit = place.unit { lines.append("systemctl enable --now \(unit)") }
    Output.line("To do:")
    for line in lines { Output.folded("  " + DisplayText.escape(line), indent: 4) }
  }

  /// Tries the answers until they work, or the person stops or goes on all the same. Of what failed, the answers are asked for again.
  private func tryOut(
    _ answers: inout SetupAnswers, _ asker: Asker?, _ environment: [String: String]
  ) async throws {
    while true {
      for key in SetupText.keyFiles(answers) { _ = try place.has(key.secret, in: place.keys + key.name) }
      let faulty = try await trial(answers, asker, environment)
      if faulty.isEmpty { return }
      let answer = try await asker?.dialog.askAfterTrial()
      if answer == "g" { return }
      guard let dialog = asker?.dialog, answer != "s" else {
        throw CommandFailure(
          status: .configuration,
          words: "the storage or the backend does not work with these answers; nothing was changed")
      }
      if faulty.contains(where: { $0.kind == .storage }) { try await dialog.askStorage(&answers, again: true) }
      if faulty.contains(where: { $0.kind == .backend }) { try await dialog.askBackend(&answers) }
    }
  }

  private func trial(
    _ answers: SetupAnswers, _ asker: Asker?, _ environment: [String: String]
  ) async throws -> Set<Destination> {
    async let _: Void? = asker?.watch()
    return try await SetupTrial.run(answers, environment: environment)
  }

  private func start(_ environment: [String: String]) async throws {
    if starts, let unit = place.unit {
      Output.line("Starting \(unit) …")
      try await Program.require("systemctl", ["enable", "--now", unit], unit: unit)
      Output.line("Waybill runs. What it does now: waybill\(place.option) status")
    } else if let unit = place.unit, place.isService {
      Output.line("Start it with: systemctl enable --now \(unit)")
    } else {
      Output.line("Start it with: waybilld --config \(place.configuration)")
    }
    let person = environment["SUDO_USER"].flatMap { $0.isEmpty || $0 == "root" ? nil : $0 } ?? "NAME"
    let groups = "\(place.group),\(common.group ?? "waybill-drop")"
    Output.folded(
      "Who is to drop files and to operate, from the next login on: usermod -aG \(groups) \(DisplayText.escape(person))"
    )
    Output.folded("Pages are in /usr/share/doc/waybill/docs, getting-started.md first.")
  }

  /// Drops a file, and waits until it is registered.
  private func dropTestFile(_ spool: SpoolSetup) async throws {
    let file = "/run/waybill-init.txt"
    // Ignored: usually there is none, and a directory of this name is reported by the write.
    func remove() { try? Directory(path: "/run").remove(Array("waybill-init.txt".utf8)) }
    remove()
    try place.write(file, Array("waybill init dropped this file, to see one go through.\n".utf8))
    defer { remove() }
    let program = "/proc/\(ProcessInfo.processInfo.processIdentifier)/exe"
    let added = try await Program.output(
      "timeout",
      ["60", program, "--socket", place.socket, "add", file, "--spool", SetupText.name(of: spool.path), "--wait"])
    guard added.status == 0 else {
      // timeout(1) exits with 124 if the time is over.
      let late = added.status == 124 ? "it is not registered after 60 s, and goes on by itself\n" : ""
      throw CommandFailure(
        status: .failure,
        words: "\(late)\(added.errors)\nSee: waybill\(place.option) ask, or waybill\(place.option) status")
    }
    Output.line(added.output)
  }
}
