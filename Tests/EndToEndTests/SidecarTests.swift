import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Documents that come with a description beside them.
@Suite(.slot)
struct SidecarTests {
  private static func adjust(_ setup: inout DaemonSetup, _ lines: [String] = []) {
    setup.spoolLines += ["sidecar = \"{name}.json\"", "recursive = true"] + lines
  }

  private func drop(_ rig: Rig, _ name: String, _ sidecar: String?) throws {
    if let sidecar { try rig.drop(name + ".json", Data(sidecar.utf8)) }
    try rig.drop(name, Data("document".utf8))
  }

  /// The registration's body is fixed with the upload: it must not lack a description that was there at the claim.
  @Test func vanishedSidecarAsksForConfirmation() async throws {
    try await withRig({
      Self.adjust(&$0)
      $0.backendLines = ["fields = { about = \"{sidecar}\" }"]
    }) { rig in
      #expect(try await rig.daemon.waybill("pause").status == 0)
      try drop(rig, "a.pdf", "{}")
      _ = try await rig.daemon.job(named: "a.pdf", in: "queued")
      let files = FileManager.default
      let shelf = rig.setup.spool.path + "/.waybill/sidecars/{name}.json"
      let place = shelf + "/" + (try #require(try files.contentsOfDirectory(atPath: shelf).first))
      let away = rig.folder.appending(path: "away.json").path
      try files.moveItem(atPath: place, toPath: away)
      #expect(try await rig.daemon.waybill("resume").status == 0)
      let job = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      #expect(job.question.string?.contains("the sidecar a.pdf.json cannot be read") == true, "\(job.question)")
      let link = try await rig.daemon.waybill("confirm", "1", "--link", "https://files.example/a")
      #expect(link.status == 1 && link.errors.contains("the sidecar a.pdf.json cannot be read"), "\(link)")
      #expect(try await rig.sandbox.count("upload") == 0)
      try files.moveItem(atPath: away, toPath: place)
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try #require(try rig.sandbox.registrations().first).body == ["about": "{}"])
    }
  }

  private static let unusable: [(String, String)] = [
    ("{\"a\": 1", "is no JSON object"), ("{\"a\":1,\"a\":2}", "is there twice"), ("[1]", "does not begin with {"),
    ("{\"a\":\"" + String(repeating: "x", count: 20_000) + "\"}", "at most 64 of 16384"),
    (String(repeating: "x", count: 70_000), "at most 65536 are read"),
    ("{\"a\":" + String(repeating: "[", count: 5000), "nested more than 64 deep"),
  ]

  @Test func unusableSidecarsAskForConfirmation() async throws {
    try await withRig({ Self.adjust(&$0) }) { rig in
      for (number, (text, words)) in Self.unusable.enumerated() {
        try drop(rig, "\(number).pdf", text)
        let job = try await rig.daemon.job(named: "\(number).pdf", in: "awaiting-confirmation")
        #expect(job.question.string?.contains(words) == true, "\(job.question)")
      }
      #expect(try await rig.sandbox.count("upload") == 0)
      // each asks once, also after a restart
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await rig.daemon.count("awaiting-confirmation") == Self.unusable.count)
      #expect(try await rig.daemon.waybill("confirm", "--all", "--yes").status == 0)
      try await until("all to be registered") { try await rig.daemon.count("registered") == Self.unusable.count }
      #expect(try rig.sandbox.registrations().allSatisfy { $0.body.metadata == [:] })
      try await until("all files to be gone") { rig.filesInSpool().isEmpty }
    }
  }

  /// A sidecar answers the question about it, as if it had come in time; an unusable one keeps it. After an answer it is too late.
  @Test func lateSidecarJoinsItsDocument() async throws {
    try await withRig({
      Self.adjust(&$0, ["sidecar_wait = \"0s\""])
      $0.key = "{id}-{metadata.case}/{name}"
      $0.backendLines = ["fields = { about = \"{sidecar}\", case = \"{metadata.case}\" }"]
    }) { rig in
      for name in ["a.pdf", "b.pdf", "c.pdf"] {
        try drop(rig, name, nil)
        try await rig.daemon.job(named: name, in: "awaiting-confirmation")
      }
      #expect(try await rig.daemon.waybill("cancel", "3").status == 0)
      for (name, text) in [("b.pdf", "no JSON"), ("c.pdf", "{}"), ("a.pdf", "{\"case\": 7}")] {
        try rig.drop(name + ".json", Data(text.utf8))
      }
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered", after: "awaiting-confirmation")
      #expect(job.key.string?.hasSuffix("-7/a.pdf") == true && job.metadata == ["case": "7"], "\(job)")
      let answer = job.history.array.first { $0.event == "confirmed" }
      #expect(answer?.by.user == "waybilld")
      #expect(answer?.reason.string == "The sidecar a.pdf.json of a.pdf has come: nobody needs to confirm")
      #expect(try #require(try rig.sandbox.registrations().first).body == ["about": "{\"case\": 7}", "case": "7"])
      let question = try await until("the question to say why") {
        let job = try await rig.daemon.job(2)
        return job.sidecar == "b.pdf.json" ? job : nil
      }
      #expect(question.state == "awaiting-confirmation")
      #expect(question.question.string?.contains("its sidecar b.pdf.json is no JSON object") == true, "\(question)")
      #expect(try await rig.daemon.job(3).sidecar.isNull)
      try await until("one sidecar to be left") {
        rig.filesInSpool().filter { !$0.contains("/.waybill/") } == [rig.setup.spool.path + "/c.pdf.json"]
      }
      // Both files of a pair are released.
      let given = try rig.folder.madeFolder("given")
      #expect(try await rig.daemon.waybill("cancel", "2").status == 0)
      #expect(try await rig.daemon.waybill("release", "2", "--to", given.path).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: given.path).sorted() == ["b.pdf", "b.pdf.json"])
    }
  }

  /// Two documents of the same name: each has its own sidecar in the archive, under its own name.
  @Test func archivesPairsUnderMatchingNames() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let archive = folder.url
    try await withRig({ Self.adjust(&$0, ["after = \"archive\"", "archive = \"\(archive.path)\""]) }) { rig in
      for round in 1...2 {
        try rig.drop("a.pdf.json", Data("{\"round\": \(round)}".utf8))
        try rig.drop("a.pdf", Data("document \(round)".utf8))
        try await until("it to be archived") {
          try await rig.daemon.job(round).disposed_at.string != nil
        }
      }
      func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: archive.appending(path: name)), as: UTF8.self)
      }
      #expect(try text("a.pdf") == "document 1" && text("a.pdf.json") == "{\"round\": 1}")
      #expect(try text("a.2.pdf") == "document 2" && text("a.2.pdf.json") == "{\"round\": 2}")
      #expect(try FileManager.default.contentsOfDirectory(atPath: archive.path).count == 4)
    }
  }

  @Test func releasesBothFilesOrNeither() async throws {
    try await withRig(faults: ["register": ["status": 422]], { Self.adjust(&$0) }) { rig in
      let given = try rig.folder.madeFolder("given")
      try drop(rig, "a.pdf", "{\"a\":1}")
      _ = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
      try Data("in the way".utf8).write(to: given.appending(path: "a.pdf.json"))
      #expect(try await rig.daemon.waybill("release", "1", "--to", given.path).status != 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: given.path) == ["a.pdf.json"])
      try FileManager.default.removeItem(at: given.appending(path: "a.pdf.json"))
      let release = try await rig.daemon.waybill("release", "1", "--to", given.path)
      #expect(release.status == 0, "\(release)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: given.path).sorted() == ["a.pdf", "a.pdf.json"])
      try await until("nothing to be left in the spool") { rig.filesInSpool().isEmpty }
    }
  }

  /// If there is no directory to put it back into, that is told, and it waits for one.
  @Test func keepsSidecarUntilDirectoryReturns() async throws {
    try await withRig(
      faults: ["register": ["status": 422]],
      {
        Self.adjust(&$0)
        $0.spoolLines += ["scan_interval = \"1s\""]
      }
    ) { rig in
      let sub = rig.setup.spool.appending(path: "sub")
      for folder in [sub, rig.folder.appending(path: "outside/sub")] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      try drop(rig, "sub/a.pdf", "{\"a\":1}")
      let job = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
      let place = (job.path.string ?? "").replacing("/.waybill/", with: "/.waybill/sidecars/{name}.json/")
      try Data("{\"a\":12}".utf8).write(to: URL(filePath: place))
      try FileManager.default.removeItem(at: sub)
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("the problem to be told") {
        try await rig.daemon.status().problems.array.contains {
          $0.what.string?.contains("a.pdf of job 1, which is registered, is still there") == true
        }
      }
      #expect(try await rig.daemon.job(1).disposed_at.isNull)
      try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
      try await until("it to be disposed of") { try await rig.daemon.job(1).disposed_at.string != nil }
      #expect(try Data(contentsOf: sub.appending(path: "a.pdf.json")) == Data("{\"a\":12}".utf8))
    }
  }
}
