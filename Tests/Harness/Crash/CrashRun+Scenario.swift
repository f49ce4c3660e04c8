import CLinux
import ChildProcesses
import Foundation
import Glibc

/// What the scenarios consist of. Each act is done again where the daemon died before it was done, and must bear that.
extension CrashRun {
  private static func archive(_ scenario: CrashScenario, _ folder: URL, _ elsewhere: URL) -> URL? {
    switch scenario {
    case .archive, .sidecarsArchived, .groupArchived: folder.appending(path: "archive")
    case .archiveElsewhere, .sidecarsArchivedElsewhere, .groupArchivedElsewhere: elsewhere.appending(path: "archive")
    default: nil
    }
  }

  private static func second(_ folder: URL) -> URL { folder.appending(path: "second") }

  static func adjust(_ setup: inout DaemonSetup, _ scenario: CrashScenario, _ elsewhere: URL) throws {
    setup.delays = ["50ms", "50ms"]
    setup.spoolLines = ["scan_interval = \"1s\"", "recursive = true", "folders = \"remove\""]
    switch scenario {
    case .parts, .partsCancelled:
      setup.sendInParts()
    case .reload:
      try FileManager.default.createDirectory(at: second(setup.folder), withIntermediateDirectories: true)
    case .history: setup.daemonLines = ["history = \"1s\""]
    case .group, .groupArchived, .groupArchivedElsewhere, .groupRewritten, .groupsCancelled:
      setup.spoolLines = ["scan_interval = \"1s\"", "marker = \"*.done\""]
    case .sidecars, .sidecarsArchived, .sidecarsArchivedElsewhere, .sidecarsCancelled:
      // none is to go without
      setup.spoolLines += ["sidecar = \"{name}.json\"", "sidecar_wait = \"1h\""]
    default: break
    }
    if let archive = archive(scenario, setup.folder, elsewhere) {
      try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
      setup.spoolLines += ["after = \"archive\"", "archive = \"\(archive.path)\""]
    }
  }

  static func places(_ scenario: CrashScenario, _ rig: Rig, _ elsewhere: URL) -> [Books.Place] {
    let own = Books.Place(spool: rig.setup.spool, archive: archive(scenario, rig.folder, elsewhere))
    return scenario == .reload ? [own, Books.Place(name: "second", spool: second(rig.folder))] : [own]
  }

  /// Drops the scenario's files before the daemon is started for the first time.
  func drop() async throws {
    switch scenario {
    case .plain:
      try await drop("plain.pdf", .registered)
      try await drop("below.pdf", .registered, path: "sub/dir/")
      try await drop(
        "adopted.pdf", .registered, attributes: ["user.waybill.id": MintedID.text(1)])
    case .parts: try await drop("large.bin", .registered, size: 11 << 20)
    case .partsCancelled: try await drop("large.bin", .removed, size: 6 << 20)
    case .archive, .archiveElsewhere:
      try await drop("plain.pdf", .registered)
      try await drop("below.pdf", .registered, path: "sub/dir/")
    case .group, .groupArchived, .groupArchivedElsewhere, .groupRewritten: try await dropGroup("run 42", .registered)
    case .groupsCancelled:
      for folder in [given, farAway] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try await dropGroup("kept", .cancelled)
      try await dropGroup("removed", .removed)
      try await dropGroup("discarded", .discarded)
      try await dropGroup("given", .released(to: given))
      try await dropGroup("far", .released(to: farAway))
    case .sidecars, .sidecarsArchived, .sidecarsArchivedElsewhere:
      try await drop("plain.pdf", .registered, sidecar: true)
      try await drop("below.pdf", .registered, path: "sub/dir/", sidecar: true)
      try await drop(
        "adopted.pdf", .registered, attributes: ["user.waybill.id": MintedID.text(1)],
        sidecar: true)
    case .sidecarsCancelled:
      for folder in [given, farAway] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try await drop("kept.pdf", .cancelled, sidecar: true)
      try await drop("discarded.pdf", .discarded, path: "sub/", sidecar: true)
      try await drop("given.pdf", .released(to: given), path: "sub/", sidecar: true)
      try await drop("far.pdf", .released(to: farAway), sidecar: true)
    case .rewritten: try await drop("written.pdf", .registered)
    case .cancelled:
      for folder in [given, farAway] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try await drop("kept.pdf", .cancelled)
      try await drop("removed.pdf", .removed)
      try await drop("discarded.pdf", .discarded, path: "sub/")
      try await drop("given.pdf", .released(to: given), path: "sub/")
      try await drop("far.pdf", .released(to: farAway))
    case .releaseRefused: try await drop("taken.pdf", .cancelled)
    case .unavailable, .history:
      try await drop("one.pdf", .registered)
      try await drop("two.pdf", .registered)
    case .pause: break
    case .reload:
      try await drop("first.pdf", .registered)
      try await drop("second.pdf", .registered, into: Self.second(rig.folder))
    }
  }

  private var given: URL { rig.folder.appending(path: "given") }
  private var farAway: URL { elsewhere.appending(path: "given") }

  private func drop(
    _ name: String, _ fate: Books.Fate, size: Int = 10_000, path: String = "", into spool: URL? = nil,
    attributes: [String: String] = [:], sidecar hasSidecar: Bool = false
  ) async throws {
    let data = try Bytes.random(size)
    var entry = Books.Entry(name: name, sha256: try await Bytes.sha256(data), fate: fate)
    let description = Data("{\"of\": \"\(name)\"}".utf8)
    if hasSidecar { entry.sidecar = try await Bytes.sha256(description) }
    books.enter(entry)
    let folder = (spool ?? rig.setup.spool).appending(path: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outside = rig.folder.appending(path: name)
    try data.write(to: outside)
    for (attribute, value) in attributes {
      let file = try FileHandle(forUpdating: outside)
      guard unsafe clinux_set_attribute(file.fileDescriptor, attribute, value, value.utf8.count) == 0 else {
        throw Missing("\(outside.path) takes no attribute: error \(errno)")
      }
    }
    try FileManager.default.moveItem(at: outside, to: folder.appending(path: name))
    guard hasSidecar else { return }
    try description.write(to: outside)
    try FileManager.default.moveItem(at: outside, to: folder.appending(path: name + ".json"))
  }

  private func dropGroup(_ name: String, _ fate: Books.Fate) async throws {
    var entry = Books.Entry(name: name, sha256: "", fate: fate)
    entry.marker = "x.done"
    let outside = rig.folder.appending(path: "outside/" + name)
    for path in ["a.bin", "data/b.bin", "data/deep/c.bin", "data/d.bin"] {
      let data = try Bytes.random(5000)
      entry.files[path] = try await Bytes.sha256(data)
      let file = outside.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    try Data().write(to: outside.appending(path: "x.done"))
    books.enter(entry)
    try FileManager.default.moveItem(at: outside, to: rig.setup.spool.appending(path: name))
  }

  /// Does the act of that number; false where there is none.
  func act(_ number: Int) async throws -> Bool {
    switch (scenario, number) {
    case (.rewritten, 0):
      let job = try await rig.daemon.job(named: "written.pdf", in: "awaiting-confirmation")
      try await write(over: job.path.string ?? "")
    case (.groupRewritten, 0):
      let job = try await rig.daemon.job(named: "run 42", in: "awaiting-confirmation")
      try await write(into: job.path.string ?? "")
    case (.rewritten, 1), (.groupRewritten, 1): try await rig.sandbox.recover()
    case (.releaseRefused, 0):
      try Data("in the way".utf8).write(to: rig.folder.appending(path: "taken.pdf"))
      let job = try await until("taken.pdf to be cancelled") {
        _ = try await clerk.settles(books)
        return try await rig.daemon.jobs().first { $0.state == "cancelled" }
      }
      let answer = try await clerk.ask(job, "release", ["to": .string(rig.folder.path)])
      guard answer.status == 409 else { throw Missing("the release should be refused: \(answer)") }
    case (.pause, 0): try await clerk.require("/v1/pause", ["storage": "main"])
    case (.pause, 1): try await drop("paused.pdf", .registered)
    case (.pause, 2): try await clerk.require("/v1/resume", ["storage": "main"])
    case (.reload, 0):
      var setup = rig.setup
      setup.furtherSpools = """
        [[spool]]
        name = "second"
        path = "\(Self.second(rig.folder).path)"
        settle_unseen = "200ms"
        storage = "main"
        backend = "main"
        """
      try setup.write()
      try await clerk.require("/v1/reload", [:])
    default: return false
    }
    return true
  }

  /// Appends to a claimed file, once.
  private func write(over path: String) async throws {
    guard books.entries.count == 1, let handle = FileHandle(forWritingAtPath: path) else { return }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("and more".utf8))
    try handle.close()
    let data = try Data(contentsOf: URL(filePath: path))
    books.change("written.pdf") { $0.isWrittenOver = true }
    books.enter(Books.Entry(name: "written.pdf", sha256: try await Bytes.sha256(data), fate: .registered))
  }

  /// Adds a file to a claimed group, once.
  private func write(into path: String) async throws {
    guard books.entries.count == 1, let entry = books.entries.first else { return }
    let data = Data("late".utf8)
    try data.write(to: URL(filePath: path + "/data/late"))
    books.change(entry.name) { $0.isWrittenOver = true }
    var second = entry
    second.files["data/late"] = try await Bytes.sha256(data)
    books.enter(second)
  }
}
