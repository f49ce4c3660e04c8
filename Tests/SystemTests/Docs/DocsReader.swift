import ChildProcesses
import Foundation

@testable import Harness

/// Somebody who does what a page says, on a machine where the package is at hand, with the servers on the loopback.
struct DocsReader {
  let machine: SystemdMachine
  let sandbox: Sandbox

  private static let user = SystemdMachine.dropperName

  private var servers: [(String, String)] {
    [
      ("https://s3.eu-central-1.amazonaws.com", sandbox.storage.endpoint),
      ("https://api.example.com/documents", sandbox.backend),
      ("https://ntfy.example.com/waybill", sandbox.backend),
    ]
  }

  /// Commands that go on until they are stopped, by how they begin, and what they have to say by then. Where that is nil they
  /// tell of a file that is dropped meanwhile.
  private static let endless: [(begin: String, says: String?)] = [
    ("waybill log --follow", nil), ("journalctl -t waybilld -f", nil), ("waybill web", "http://127.0.0.1:"),
    ("waybill ask", "Retry?"),
  ]

  /// Commands that only look, by how they begin: what they promise may come to be a moment later.
  private static let looking = [
    "waybill status", "waybill list", "waybill show", "waybill --instance second list", "journalctl", "ls ",
  ]

  /// What an operator has been given: keys, by the files they go into.
  private var keys: [String: String] {
    [
      "/etc/waybill/keys/s3-access-key": sandbox.storage.accessKey,
      "/etc/waybill/keys/s3-secret-key": sandbox.storage.secretKey,
      "/etc/waybill/keys/backend-token": "token",
    ]
  }

  private var service: Service { Service(machine: machine) }

  /// Makes the machine one that a page is read at: with Waybill running there or not yet installed.
  func sitDown(at page: DocsPage, installed: Bool) async throws {
    for (path, text) in try typedFiles(of: page) { try machine.write("/typed" + path, text) }
    try script("editor", #"for file; do cat "/typed$file" > "$file" || exit; done"#)
    try script("apt", #"exec apt-get -q -y "$@""#)
    let package = try await DebianPackage.second.value.seen
    try await machine.require("ln", "-s", package, "/root/waybill_VERSION_amd64.deb")
    try await machine.require("useradd", "--create-home", "--shell", "/bin/sh", Self.user)
    guard installed else { return }
    try await machine.type(["apt install \(try await DebianPackage.first.value.seen)"])
    try await machine.require("usermod", "-a", "-G", "waybill,waybill-drop", Self.user)
    for (path, key) in keys { try machine.write(path, key + "\n") }
    var setup = ServiceSetup(storage: sandbox.storage, backend: sandbox.backend)
    setup.keyLines = ["access", "secret"].map { "\($0)_key = { file = \"/etc/waybill/keys/s3-\($0)-key\" }" }
    try machine.write(service.configuration, setup.toml)
    try await service.start()
  }

  private func script(_ name: String, _ body: String) throws {
    let path = "/usr/local/bin/" + name
    try machine.write(path, "#!/bin/sh\n\(body)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: machine.outside(path))
  }

  /// What is typed into editors: the keys, and the files that the page shows.
  private func typedFiles(of page: DocsPage) throws -> [String: String] {
    var files = keys.mapValues { $0 + "\n" }
    for block in page.blocks { if let file = block.file { files[file] = here(block.text) } }
    return files
  }

  private func here(_ text: String) -> String {
    servers.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  func follow(_ block: DocsPage.Block, of page: DocsPage) async throws {
    guard block.reasonNotToRun == nil else { return }
    let place = "\(page.path):\(block.line)"
    if let file = block.file {
      try machine.write(file, here(block.text))
      if file == service.configuration {
        try await machine.type(["waybill check --no-keys", "systemctl try-reload-or-restart waybill"])
      }
    }
    guard block.isTyped else { return }
    for command in try DocsCommand.of(block, at: place) {
      try await layOut("/root", owner: "root:root")
      try await layOut("/home/\(Self.user)", owner: "\(Self.user):")
      var command = command
      command.text = here(command.text)
      command.promised = command.promised.map(here)
      if let given = block.given {
        let number = try await job(in: given.state)
        for text in [given.number] {
          let word = try Regex("\\b\(text)\\b")
          command.text = command.text.replacing(word, with: String(number))
          command.promised = command.promised.map { $0.replacing(word, with: String(number)) }
        }
      }
      try await type(command, at: place)
    }
  }

  /// A file to drop stands where commands are typed.
  private func layOut(_ home: String, owner: String) async throws {
    try machine.write(home + "/scan.pdf", "some bytes")
    try await machine.require("chown", owner, home + "/scan.pdf")
  }

  private func type(_ command: DocsCommand, at place: String) async throws {
    if let endless = Self.endless.first(where: { command.text.hasPrefix($0.begin) }) {
      return try await watch(command, says: endless.says, at: place)
    }
    var last: Command?
    let mayTakeAMoment = Self.looking.contains { command.text.hasPrefix($0) }
    do {
      try await until("what \(command.text) promises", within: mayTakeAMoment ? .seconds(30) : .zero) {
        let result = try await Command.run(words(command))
        last = result
        let isDone = result.status == 0 || command.text.hasPrefix("waybill status") && result.status == 1
        return isDone && command.isKept(by: result.output)
      }
    } catch let error as TimedOut {
      throw Missing("\(place): \(error): ended with \(last?.status ?? 0): \(last?.output ?? "")")
    }
  }

  private func watch(_ command: DocsCommand, says: String?, at place: String) async throws {
    let child = try ChildProcess(words(command), input: .written)
    let meanwhile = "meanwhile.pdf"
    if says == nil {
      // One that is not yet listening hears of the next.
      try await until("\(place): \(command.text) to tell of a file") {
        _ = try await drop(meanwhile, until: "registered")
        return child.outputText.contains(meanwhile) && command.isKept(by: child.outputText)
      }
    } else {
      try await child.prints("what \(place) promises") { $0.contains(says ?? "") && command.isKept(by: $0) }
    }
    guard try child.ending() == nil else { throw Missing("\(place): \(command.text) ended: \(child.outputText)") }
  }

  private func words(_ command: DocsCommand) -> [String] {
    let home = command.asRoot ? "/root" : "/home/\(Self.user)"
    var typed = ["sh", "-ec", "exec 2>&1; export HOME=\(home); cd; \(command.text)"]
    // It takes a terminal.
    if command.text.hasPrefix("waybill ask") { typed = ["script", "-qfec", command.text, "/dev/null"] }
    return machine.words(typed, as: command.asRoot ? nil : Self.user)
  }

  private func drop(_ name: String, until state: String) async throws -> Int {
    let known = try await service.jobs().compactMap(\.job.int).max() ?? 0
    let setup = ServiceSetup(storage: sandbox.storage, backend: sandbox.backend)
    try await ServiceRig(machine: machine, sandbox: sandbox, setup: setup).drop(name)
    return try await until("\(name) to be \(state)") {
      try await service.jobs().first { ($0.job.int ?? 0) > known && $0.state.string == state }?.job.int
    }
  }

  private func job(in state: String) async throws -> Int {
    let name = "scan.pdf"
    if state == "registered" { return try await drop(name, until: state) }
    let isAborted = state == "aborted"
    let status = isAborted ? 503 : 422
    try await sandbox.fail(["register": ["status": .number(Double(status)), "body": #"{"error":"number is taken"}"#]])
    let number = try await drop(name, until: isAborted ? state : "awaiting-confirmation")
    try await sandbox.recover()
    if isAborted { try await machine.require("waybill", "resume") }
    if state == "cancelled" { try await machine.require("waybill", "cancel", String(number)) }
    return number
  }
}
