import CLinux
import ChildProcesses
import Foundation
import Glibc

extension CrashRun {
  private static func archive(_ scenario: CrashScenario, _ folder: URL, _ elsewhere: URL) -> URL? {
    switch scenario {
    case .archive: folder.appending(path: "archive")
    case .archiveElsewhere, .sidecarsArchivedElsewhere: elsewhere.appending(path: "archive")
    default: nil
    }
  }

  private static func second(_ folder: URL) -> URL { folder.appending(path: "second") }

  static func adjust(_ setup: inout DaemonSetup, _ scenario: CrashScenario, _ elsewhere: URL) throws {
    setup.delays = ["50ms", "50ms"]
    setup.spoolLines = ["scan_interval = \"1s\"", "recursive = true"]
    switch scenario {
    case .parts: setup.sendInParts()
    case .granted, .grantedParts: setup.isGranted = true
    case .reload:
      try FileManager.default.createDirectory(at: second(setup.folder), withIntermediateDirectories: true)
    case .group:
      setup.spoolLines = ["scan_interval = \"1s\"", "marker = \"*.done\""]
    case .sidecars, .sidecarsArchivedElsewhere:
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

  func drop() async throws {
    switch scenario {
    case .plain:
      try await drop("plain.pdf", .registered)
      try await drop("below.pdf", .registered, path: "sub/dir/")
      try await drop(
        "adopted.pdf", .registered, attributes: ["user.waybill.id": MintedID.text(1)])
    case .parts, .grantedParts: try await drop("large.bin", .registered, size: 11 << 20)
    case .archive, .archiveElsewhere, .granted:
      try await drop("plain.pdf", .registered)
      try await drop("below.pdf", .registered, path: "sub/dir/")
    case .group: try await dropGroup("run 42")
    case .sidecars, .sidecarsArchivedElsewhere:
      try await drop("plain.pdf", .registered, sidecar: true)
      try await drop("below.pdf", .registered, path: "sub/dir/", sidecar: true)
      try await drop(
        "adopted.pdf", .registered, attributes: ["user.waybill.id": MintedID.text(1)],
        sidecar: true)
    case .cancelled:
      for folder in [given, farAway] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try await drop("kept.pdf", .cancelled)
      try await drop("removed.pdf", .removed)
      try await drop("discarded.pdf", .discarded, path: "sub/")
      try await drop("given.pdf", .released(to: given), path: "sub/")
      try await drop("far.pdf", .released(to: farAway))
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

  private func dropGroup(_ name: String) async throws {
    var entry = Books.Entry(name: name, sha256: "", fate: .registered)
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

  /// Does what is to be done beside the daemon, once it answers; again where the daemon died before it was done.
  func act() async throws {
    guard scenario == .reload, !hasActed else { return }
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
    hasActed = true
  }
}
