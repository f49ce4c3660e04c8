import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A rig whose ledger, spool and archive are on disks whose power can be cut.
struct PowerRig: Sendable {
  let rig: Rig
  let ledgerDisk: BlockDisk
  let spoolDisk: any PowerDisk
  let otherDisk: ForgetfulDisk

  var daemon: Daemon { rig.daemon }
  var sandbox: Sandbox { rig.sandbox }
  var spool: URL { rig.setup.spool }

  func cut() async throws {
    if try daemon.child().ending() == nil { try await daemon.kill() }
    try await cutDisks()
  }

  func cutDisks() async throws {
    for disk in [ledgerDisk, spoolDisk, otherDisk] as [any PowerDisk] { try await disk.cut() }
  }

  /// Puts a file into the spool as a careful program does: all of it is durable.
  func drop(_ name: String, _ text: String) async throws {
    let file = spool.appending(path: name)
    let folder = file.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var folders: [String] = []
    var above = folder
    while above.path.count >= spool.path.count {
      folders.append(above.path)
      above.deleteLastPathComponent()
    }
    let hidden = folder.appending(path: "." + UUID().uuidString)
    try Data(text.utf8).write(to: hidden)
    try await Command.require(["sync", hidden.path])
    try FileManager.default.moveItem(at: hidden, to: file)
    try await Command.require(["sync"] + folders)
  }

  func wait(for count: Int, _ state: String, line: Int = #line) async throws {
    try await until("\(count) jobs to be \(state)", line: line) { try await daemon.count(state) == count }
  }

  func expectAllSurvive(line: Int = #line) async throws {
    let before = try await daemon.jobs()
    try await cut()
    try await expectAll(before, line: line)
  }

  /// Starts it after a cut, with everything well at the server, and expects the very jobs that were there before, each
  /// registered once, under its own id, with its own bytes, and no file left.
  func expectAll(_ before: [JSONValue], line: Int = #line) async throws {
    try await sandbox.recover()
    try await daemon.start(line: line)
    _ = try await daemon.waybill("confirm", "--all", "--yes")
    try await until("\(before.count) jobs to be registered, and no other", line: line) {
      let jobs = try await daemon.jobs()
      guard jobs.allSatisfy({ ["registered", "queued", "active", "deferred"].contains($0.state.string) }) else {
        throw WentAstray(description: "line \(line): after the cut: \(jobs)")
      }
      return jobs.count >= before.count && jobs.allSatisfy { $0.state == "registered" }
    }
    // what came back to the spool is found by now
    for _ in 1...3 { try await daemon.nextScan(line: line) }
    let after = try await daemon.jobs()
    #expect(Set(after.map(\.id.string)) == Set(before.map(\.id.string)))
    #expect(Set(after.map(\.job.int)) == Set(before.map(\.job.int)))
    let registered = try sandbox.registrations()
    #expect(registered.compactMap(\.body.id.string).sorted() == before.compactMap(\.id.string).sorted())
    #expect(
      registered.compactMap(\.body.size.int).sorted() == before.compactMap(\.size.int).sorted(), "no byte is lost")
    try await until("no file to be left", line: line) { try rig.filesLeft().filter { $0.contains(".pdf") } == [] }
  }
}

/// A power rig with the spool on a disk that forgets all it can, or on one as machines have.
func withPowerRig(
  spoolIsForgetful: Bool = true, faults: JSONValue? = nil, environment: [String: String] = [:],
  line: Int = #line, _ adjust: (inout DaemonSetup, _ other: URL) throws -> Void = { _, _ in },
  _ body: (PowerRig) async throws -> Void
) async throws {
  let folder = try TemporaryFolder()
  let ledgerDisk = try await BlockDisk("ledger", in: folder.url)
  let spoolDisk: any PowerDisk =
    spoolIsForgetful
    ? try await ForgetfulDisk("drop", in: folder.url) : try await BlockDisk("drop", in: folder.url)
  let otherDisk = try await ForgetfulDisk("other", in: folder.url)
  let disks: [any PowerDisk] = [ledgerDisk, spoolDisk, otherDisk]
  defer { for disk in disks { disk.unmount() } }
  try await withRig(
    faults: faults, starting: false, environment: environment, line: line,
    {
      $0.stateFolder = ledgerDisk.url.appending(path: "state")
      $0.spoolFolder = spoolDisk.url.appending(path: "spool")
      $0.daemonLines = ["min_free = \"1MiB\""]
      $0.spoolLines = ["scan_interval = \"1s\""]
      try adjust(&$0, otherDisk.url)
    }
  ) { rig in
    for disk in disks { try await disk.settle() }
    try await body(PowerRig(rig: rig, ledgerDisk: ledgerDisk, spoolDisk: spoolDisk, otherDisk: otherDisk))
  }
}
