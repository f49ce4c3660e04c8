import ArgumentParser
import CommandParts
import Credentials
import HTTPTransfer
import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

/// The part of `waybill init` that changes the machine. Each step can be made again: a run that was cut goes on in the next one.
struct SetupRun {
  let place: SetupPlace
  let options: InitOptions
  let environment: [String: String]
  /// The person; nil if nobody is asked.
  let asker: Asker?
  let common: SetupOptions

  /// True if the service is started at the end.
  private var starts: Bool { place.isService && !options.noStart }

  /// Returns the first file of a configuration that is there.
  func existing() throws(CommandFailure) -> String? {
    if SetupPlace.exists(place.configuration) { return place.configuration }
    let folder = Configuration.folder(of: place.configuration)
    guard SetupPlace.exists(folder) else { return nil }
    do throws(FileError) {
      let names = try smallDirectoryNames(path: folder, limit: 1000).map { String(decoding: $0, as: UTF8.self) }
      return names.sorted().first { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// The refusal to touch a configuration.
  func stays(_ file: String) -> CommandFailure {
    CommandFailure(
      status: .failure,
      words: """
        \(file) is there, and stays. Another spool: waybill\(place.option) spool add PATH. To try the settings: \
        waybill check --probe
        """)
  }

  /// Goes on with a configuration that an earlier run wrote, if its service does not run yet.
  func goOn(from file: String) async throws {
    guard file == place.configuration, starts, let unit = place.unit,
      asker != nil || common.yes, KeySearch.text(of: file)?.contains(SetupText.mark) == true,
      try await Program.output("systemctl", ["is-active", unit]).output != "active"
    else { throw stays(file) }
    Output.folded("\(file) is there, of an earlier run, and \(unit) does not run.")
    if let dialog = asker?.dialog {
      guard try await dialog.confirm("Make its spools and start it?", usually: true) else { throw Self.unchanged }
    }
    let sandbox = UnitSandbox(ofConfiguration: file)
    do {
      let configuration = try Configuration.load(path: file, environment: environment, readingCredentials: false)
      for spool in configuration.spools {
        let spool = try SpoolSetup(
          spool.path, group: common.group, archive: spool.archivePath, keepsFiles: spool.keepsFiles, at: place,
          sandbox: sandbox)
        try await agree(to: spool)
        _ = try await spool.make()
      }
    } catch let error as ConfigurationError {
      throw CommandFailure(status: .configuration, words: error.description)
    }
    try await start()
  }

  /// Takes over the answers of a run that was cut, if the person wants that.
  func resume(_ answers: inout SetupAnswers) async throws {
    guard let dialog = asker?.dialog, SetupPlace.exists(place.unfinished) else { return }
    // Ignored: what cannot be read is asked for again.
    guard
      let found = try? Configuration.load(path: place.unfinished, environment: [:], readingCredentials: false)
    else { return }
    Output.folded("An earlier run was cut. It was told: \(found.summary)")
    if try await dialog.confirm("Go on with that?", usually: true) { answers = SetupAnswers(unfinished: found) }
  }

  /// Shows what is going to be done.
  func show(_ answers: SetupAnswers, _ spool: SpoolSetup) {
    var lines = SetupText.keyFiles(answers, at: place).map(\.path) + [place.configuration]
    lines = lines.map { "write \($0)" }
    lines[lines.count - 1] +=
      ": bucket \(answers.bucket ?? "") at \(answers.endpoint ?? ""), backend \(answers.backend ?? "")"
    if answers.usesSandbox { lines.insert("start \(LocalSandbox.unit)", at: 0) }
    lines.append("try the storage and the backend: waybill check --probe")
    lines += spool.commands
    if starts, let unit = place.unit { lines.append("systemctl enable --now \(unit)") }
    Output.line("To do:")
    for line in lines { Output.folded("  " + DisplayText.escape(line), indent: 4) }
  }

  /// Carries a setup out, once the person has agreed.
  func run(_ answers: inout SetupAnswers, _ spool: SpoolSetup, _ search: KeySearch) async throws {
    if !SetupPlace.exists(place.unfinished) { try requireOwnKeys(answers) }
    try await agree(to: spool)
    let dialog = asker?.dialog
    var dropsTest = options.testFile
    if let dialog, !dropsTest, starts {
      let question = "Drop a test file at the end, which your backend registers?"
      dropsTest = try await dialog.confirm(question, usually: false)
    }
    show(answers, spool)
    if let dialog, try await !dialog.confirm("Do it?", usually: true) { throw Self.unchanged }
    try await tryOut(&answers, search)
    try await finish(spool)
    if dropsTest, starts { try await dropTestFile(spool) }
  }

  private static var unchanged: CommandFailure { CommandFailure(status: .failure, words: "nothing was changed") }

  private func agree(to spool: SpoolSetup) async throws {
    let dialog = asker?.dialog
    try await spool.agree(yes: common.yes, dialog.map { dialog in { try await dialog.confirm($0, usually: false) } })
  }

  /// Throws if key files with other bytes are there that this run has not written.
  private func requireOwnKeys(_ answers: SetupAnswers, but written: [String] = []) throws(CommandFailure) {
    for key in SetupText.keyFiles(answers, at: place) where !written.contains(key.path) {
      guard SetupPlace.exists(key.path), SetupPlace.secret(in: key.path) != key.secret else { continue }
      throw CommandFailure(
        status: .failure,
        words: "\(key.path) is there with other bytes, and stays: nothing was changed. To use it, name it (--keys, "
          + "--backend-token-file); else: rm \(DirectoryRecipe.quoted(key.path))")
    }
  }

  /// Writes keys and configuration, the latter under another name, and tries them until they work. If that comes to no end, they are
  /// removed again.
  private func tryOut(_ answers: inout SetupAnswers, _ search: KeySearch) async throws {
    // The key files of a run that was cut are this one's.
    let isResumed = SetupPlace.exists(place.unfinished)
    var written: [String] = []
    do {
      while true {
        if !isResumed { try requireOwnKeys(answers, but: written) }
        let faulty = try await trial(answers, &written)
        if faulty.isEmpty { return }
        let question = "Change the answers (c), go on all the same (g), or stop (s)? [c] "
        switch try await asker?.answer(question, false).lowercased() {
        case "g"?: return
        case "c"?, ""?:
          guard let dialog = asker?.dialog else { continue }
          if faulty.contains(where: { $0.kind == .storage }) {
            try await dialog.askStorage(&answers, search, again: true)
          }
          if faulty.contains(where: { $0.kind == .backend }) { try await dialog.askBackend(&answers) }
        case "s"?, nil:
          throw CommandFailure(
            status: .configuration,
            words: "the storage or the backend does not work with these answers; what was written is removed again")
        default: continue
        }
      }
    } catch {
      for path in written + [place.unfinished] where SetupPlace.exists(path) { SetupPlace.remove(path) }
      throw error
    }
  }

  /// Writes what is not written yet, and returns the destinations that do not work with it.
  private func trial(_ answers: SetupAnswers, _ written: inout [String]) async throws -> Set<Destination> {
    async let _: Void? = asker?.watch()
    if answers.usesSandbox { try await startSandbox() }
    // First, because it tells the next run that the key files are those of this one.
    if SetupPlace.exists(place.unfinished) { SetupPlace.remove(place.unfinished) }
    try place.write(place.unfinished, Array(SetupText.configuration(answers, at: place).utf8))
    for key in SetupText.keyFiles(answers, at: place) where SetupPlace.secret(in: key.path) != key.secret {
      if SetupPlace.exists(key.path) { SetupPlace.remove(key.path) }
      try place.write(key.path, key.secret.bytes + [0x0A])
      written.removeAll { $0 == key.path }
      written.append(key.path)
    }
    Output.line("Trying the storage and the backend …")
    // The service has neither the keys nor the home of who runs this.
    let environment = environment.filter {
      $0.key != "HOME" && !$0.key.hasPrefix("AWS_") && !$0.key.hasPrefix("WAYBILL_")
    }
    do {
      return try await Probe.trial(
        try Configuration.load(path: place.unfinished, environment: environment), path: place.unfinished,
        environment: environment, write: true, isInUse: false)
    } catch let error as ConfigurationError {
      throw CommandFailure(status: .configuration, words: error.description)
    }
  }

  /// Starts the sandbox, and waits until it answers; if it does not, the trial says so.
  private func startSandbox() async throws {
    let start = try await Program.output("systemctl", ["start", LocalSandbox.unit])
    guard start.status == 0 else {
      throw CommandFailure(
        status: .failure, words: "the sandbox was not started: install the package waybill-sandbox. \(start.errors)")
    }
    let transport = try Transport(maxConnections: 1)
    defer { transport.shutdown() }
    for _ in 0..<100 {
      let request = HTTPRequest(method: "GET", url: LocalSandbox.endpoint, totalTimeout: .seconds(10))
      if (try? await transport.send(request)) != nil { return }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Makes the spool, gives the configuration its name, and starts the service.
  private func finish(_ spool: SpoolSetup) async throws {
    async let _: Void? = asker?.watch()
    _ = try await spool.make()
    do throws(FileError) {
      let (folder, name) = SetupPlace.parts(of: place.configuration)
      let directory = try Directory(path: folder)
      try directory.rename(SetupPlace.parts(of: place.unfinished).name, into: directory, as: name)
      try directory.sync(.configurationEntry)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
    try await start()
  }

  private func start() async throws {
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
    if SetupPlace.exists(file) { SetupPlace.remove(file) }
    try place.write(file, Array("waybill init dropped this file, to see one go through.\n".utf8))
    defer { SetupPlace.remove(file) }
    let added = try await Program.waybill(
      ["--socket", place.socket, "add", file, "--spool", SetupText.name(of: spool.path), "--wait", "--timeout", "60s"])
    guard added.status == 0 else {
      throw CommandFailure(
        status: .failure,
        words: "\(added.errors)\nSee: waybill\(place.option) ask, or waybill\(place.option) status")
    }
    Output.line(added.output)
  }
}
