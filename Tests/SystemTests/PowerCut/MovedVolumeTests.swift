import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The ledger and the spools are on one volume. The host that works on it dies, the volume is cut off without an unmount, and another host
/// mounts it and goes on: nothing is lost, nothing is registered twice, uploads in parts are resumed, and questions stay open.
///
/// `make torture-volume ROUNDS=30` has the volume go on from host to host.
@Suite(.slot, .needs(.loop, .mount))
struct MovedVolumeTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["WAYBILL_TEST_VOLUME"].flatMap { Int($0) } ?? 2

  @Test func nextHostGoesOnWithVolume() async throws {
    let folder = try TemporaryFolder()
    let disk = try await BlockDisk("volume", in: folder.url)
    defer { disk.unmount() }
    try await withRig(starting: false, { MovedVolume.adjust(&$0, disk) }) { rig in
      var volume = MovedVolume(rig, disk)
      for _ in 1...Self.rounds {
        try await volume.mountAtNextHost()
        try await volume.work()
        try await volume.killHost()
      }
      try await volume.mountAtNextHost()
      try await volume.expectAll(rounds: Self.rounds)
    }
  }
}

/// A volume with the files that were dropped on it so far, and the host that has it mounted.
private struct MovedVolume {
  private struct Dropped {
    let name: String
    /// The sums of its files by their names in the registration; for a single file, by its own name.
    let sums: [String: String]
    var metadata: JSONValue = [:]
  }

  private struct Question: Hashable {
    let number: Int
    let id: String
    let text: String

    init?(_ job: JSONValue) {
      guard job.state == "awaiting-confirmation", let number = job.job.int, let id = job.id.string else { return nil }
      (self.number, self.id, text) = (number, id, job.question.string ?? "")
    }
  }

  private static let partSize = 5 << 20

  private let rig: Rig
  private let disk: BlockDisk
  private var random = SplitMix64(seed: Seeds.run)
  private var host = 0
  private var daemon: Daemon
  private var dropped: [Dropped] = []
  /// The ids of jobs by the names of their files, as the first host that told of them did.
  private var ids: [String: String] = [:]
  private var questions: Set<Question> = []

  init(_ rig: Rig, _ disk: BlockDisk) {
    (self.rig, self.disk, daemon) = (rig, disk, rig.daemon)
  }

  private static func spool(_ name: String, on disk: BlockDisk) -> URL { disk.url.appending(path: name) }

  static func adjust(_ setup: inout DaemonSetup, _ disk: BlockDisk) {
    setup.stateFolder = disk.url.appending(path: "state")
    setup.spoolFolder = spool("documents", on: disk)
    setup.key = "{host}/{id}/{name}"
    setup.delays = ["100ms", "300ms"]
    setup.concurrency = 8
    setup.daemonLines = ["min_free = \"1MiB\""]
    setup.sendInParts()
    setup.spoolLines = ["scan_interval = \"1s\""]
    func section(_ name: String, _ lines: String) -> String {
      """
      [[spool]]
      name = "\(name)"
      path = "\(spool(name, on: disk).path)"
      key = "{host}/{id}/{name}"
      settle = "50ms"
      settle_unseen = "200ms"
      scan_interval = "1s"
      \(lines)

      """
    }
    setup.furtherSpools =
      section("pairs", "sidecar = \"{name}.json\"\nsidecar_wait = \"1h\"")
      + section("groups", "marker = \"CopyComplete.txt\"")
  }

  mutating func mountAtNextHost() async throws {
    host += 1
    for name in ["pairs", "groups", "outside"] {
      try FileManager.default.createDirectory(at: Self.spool(name, on: disk), withIntermediateDirectories: true)
    }
    var setup = rig.setup
    setup.name = "host-\(host)"
    try setup.write()
    daemon = Daemon(
      setup,
      prefix: [
        "unshare", "--mount", "--propagation", "private", "--uts", "sh", "-ec", "hostname \"$0\"; exec \"$@\"",
        setup.name,
      ])
    try await daemon.start()
    // It has the questions that the one before has asked.
    let open = Set(try await daemon.jobs().compactMap(Question.init))
    #expect(questions.isSubset(of: open), "host \(host): \(questions.subtracting(open))")
  }

  /// Drops files of all kinds, and returns when some of them are under way, and one in parts is half sent.
  mutating func work() async throws {
    let (daemon, sandbox) = (self.daemon, rig.sandbox)
    let slow: JSONValue = ["latency_ms": 300]
    try await sandbox.fail(["upload": slow, "register": slow, "part": slow])
    let asking = "asks-\(host).pdf"
    try await drop(asking, in: "pairs", ["": "a", ".json": "[1]"])
    try await daemon.job(named: asking, in: "awaiting-confirmation")
    for number in 1...8 { try await drop("\(host)-\(number).pdf", bytes: Bytes.random(4000 + number)) }
    for number in 1...4 {
      let name = "\(host)-\(number).doc"
      try await drop(
        name, in: "pairs", ["": name, ".json": "{\"case\":\"\(name)\"}"], metadata: ["case": .string(name)])
    }
    for number in 1...3 { try await dropGroup("run \(host)-\(number)") }
    let parts = try await sandbox.count("part")
    try await drop("large-\(host).bin", bytes: Bytes.random(2 * Self.partSize + 1000))
    // The first part is stored, and the second one is being sent.
    try await sandbox.receives("part", parts + 2)
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...800, using: &random)))
  }

  /// Kills the host, and takes the volume away from it as it is: what the host has not made durable is gone.
  mutating func killHost() async throws {
    for job in try await daemon.jobs() { ids[job.name.string ?? ""] = job.id.string }
    questions = Set(try await daemon.jobs().compactMap(Question.init))
    try await daemon.kill()
    try await disk.cut()
  }

  private mutating func drop(_ name: String, bytes: Data) async throws {
    try await put([name: bytes], into: "documents")
    dropped.append(Dropped(name: name, sums: [name: try await Bytes.sha256(bytes)]))
  }

  /// Drops a document with its sidecar: the files by what follows the name.
  private mutating func drop(
    _ name: String, in spool: String, _ files: [String: String], metadata: JSONValue = [:]
  ) async throws {
    for (ending, text) in files.sorted(by: { $0.key > $1.key }) {
      try await put([name + ending: Data(text.utf8)], into: spool)
    }
    let sum = try await Bytes.sha256(Data((files[""] ?? "").utf8))
    dropped.append(Dropped(name: name, sums: [name: sum], metadata: metadata))
  }

  private mutating func dropGroup(_ name: String) async throws {
    let files = ["a.bin": try Bytes.random(3000), "b/c.bin": try Bytes.random(2000), "b/empty": Data()]
    let outside = Self.spool("outside", on: disk).appending(path: name)
    try Groups.make(outside, files.merging(["CopyComplete.txt": Data("done".utf8)]) { $1 })
    try await move(outside, into: "groups")
    var sums: [String: String] = [:]
    for (path, data) in files { sums[path] = try await Bytes.sha256(data) }
    dropped.append(Dropped(name: name, sums: sums))
  }

  private func put(_ files: [String: Data], into spool: String) async throws {
    for (name, data) in files {
      let outside = Self.spool("outside", on: disk).appending(path: name)
      try data.write(to: outside)
      try await move(outside, into: spool)
    }
  }

  /// Moves what is complete into a spool, as a careful program does: all of it is durable.
  private func move(_ outside: URL, into spool: String) async throws {
    let folder = Self.spool(spool, on: disk)
    try await Command.require(["find", outside.path, "-exec", "sync", "{}", "+"])
    try FileManager.default.moveItem(at: outside, to: folder.appending(path: outside.lastPathComponent))
    try await Command.require(["sync", folder.path, Self.spool("outside", on: disk).path])
  }

  /// Answers all questions, and expects that each file is registered once, under its own id, with its own bytes.
  func expectAll(rounds: Int) async throws {
    try await rig.sandbox.recover()
    try await until("all questions to be answered, and all files to be registered", within: patience * 2) {
      _ = try await daemon.waybill("confirm", "--all", "--yes")
      let jobs = try await daemon.jobs()
      return jobs.count >= dropped.count && jobs.allSatisfy { $0.state == "registered" }
    }
    let jobs = try await daemon.jobs()
    #expect(jobs.compactMap(\.name.string).sorted() == dropped.map(\.name).sorted(), "each file is one job")
    for job in jobs {
      guard let name = job.name.string, let id = ids[name] else { continue }
      #expect(job.id.string == id, "\(name)")
    }
    let state = try await rig.sandbox.state()
    #expect(state.registrations.mismatched == 0, "no id came with two bodies")
    #expect(state.uploads.array == [], "no upload in parts is left")
    #expect(try await rig.sandbox.count("create") == rounds, "each upload in parts was begun once")
    // Three of each file, and the one that was cut.
    #expect(try await rig.sandbox.count("part") <= 4 * rounds, "what was stored is not sent again")
    try await expectRegistrations()
    try await until("no file to be left") {
      ["documents", "pairs", "groups"].allSatisfy { rig.filesInSpool(Self.spool($0, on: disk)).isEmpty }
    }
    #expect(try await daemon.stop() == .exit(0))
  }

  private func expectRegistrations() async throws {
    let bodies = try rig.sandbox.registrations().map(\.body)
    let objects = try await rig.sandbox.objects()
    #expect(bodies.compactMap(\.name.string).sorted() == dropped.map(\.name).sorted(), "each is registered once")
    for file in dropped {
      guard let body = bodies.first(where: { $0.name.string == file.name }) else { continue }
      let files = body.files.array.isEmpty ? [body] : body.files.array
      let sums = files.map { objects[$0.key.string ?? ""]?.sha256.string ?? "" }
      #expect(sums.sorted() == file.sums.values.sorted(), "\(file.name): \(body)")
      if file.metadata != [:] { #expect(body.metadata == file.metadata, "\(file.name): \(body)") }
    }
  }
}
