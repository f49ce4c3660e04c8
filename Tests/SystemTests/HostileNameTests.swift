import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files of any name through the real daemon to an S3 server that others wrote, read back by a client that others wrote.
@Suite(
  .slot, .needs(.awscli, .s3Server, .journald))
struct HostileNameTests {
  /// The one name that is cancelled and taken up again; the others are confirmed.
  private static let cancelled = Array("\u{1B}]0;title\u{7}.pdf".utf8)

  @Test func carriesFilesOfAnyName() async throws {
    try await withRig(faults: ["register": ["status": 422]], journal: true, { $0.storage = try RealS3.storage() }) {
      rig in
      let names = HostileName.all
      #expect(Set(names.map(\.bytes)).count == names.count && names.count > 60)
      try await rig.drop(HostileName.ignored.map { .init(name: $0, data: []) })
      try await rig.drop(names.map { .init(name: $0.bytes, data: Self.data($0)) })
      try await until("every question") { try await rig.daemon.count("awaiting-confirmation") == names.count }
      try await expectNothingRaw(rig)
      for number in 1...names.count {
        RawText.expectNone(try await rig.daemon.waybill("show", String(number)), "show \(number)")
      }

      let jobs = try await rig.daemon.jobs()
      let number = try #require(jobs.first { $0.name.string.map { Array($0.utf8) } == Self.cancelled }?.job.int)
      let cancel = try await rig.daemon.waybill("cancel", String(number))
      #expect(cancel.status == 0)
      RawText.expectNone(cancel, "cancel")
      let kept = try #require(try await rig.daemon.job(number).path.string)
      #expect(
        FileManager.default.contents(atPath: kept).map { Array($0) } == Array("17 bytes or so\n".utf8) + Self.cancelled)

      try await rig.sandbox.recover()
      let confirm = try await rig.daemon.waybill("confirm", "--all", "--yes")
      #expect(confirm.status == 0, "\(confirm.errors)")
      RawText.expectNone(confirm, "confirm")
      try await until("all but one to be registered") {
        try await rig.daemon.count("registered") == names.count - 1
      }
      let retry = try await rig.daemon.waybill("retry", String(number))
      #expect(retry.status == 0)
      RawText.expectNone(retry, "retry")
      try await until("all to be registered") { try await rig.daemon.count("registered") == names.count }
      try await expectNothingRaw(rig)

      let ids = try await expectRegistrations(rig)
      try await expectObjects(rig, ids)
      try await expectEntries(rig)
      try await until("the disposal of all files") { try rig.filesLeft().count == HostileName.ignored.count }
    }
  }

  private static func data(_ name: HostileName) -> [UInt8] { Array("17 bytes or so\n".utf8) + name.bytes }

  /// Each file exactly once, under its name; the job's id by the name's bytes.
  private func expectRegistrations(_ rig: Rig) async throws -> [[UInt8]: String] {
    let bodies = try rig.sandbox.registrations().map(\.body)
    #expect(bodies.count == HostileName.all.count)
    #expect(Set(bodies.compactMap(\.id.string)).count == bodies.count)
    var ids: [[UInt8]: String] = [:]
    var texts: [[UInt8]: String] = [:]
    for body in bodies {
      let text = body.name.string ?? ""
      let name = body.name_base64.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? Array(text.utf8)
      ids[name] = body.id.string
      texts[name] = text
    }
    for name in HostileName.all {
      #expect(texts[name.bytes].map { Array($0.utf8) } == Array(name.text.utf8), "\(name.text.debugDescription)")
    }
    return ids
  }

  /// Each object under the key that the contract says, with the file's bytes, and seen by a listing.
  private func expectObjects(_ rig: Rig, _ ids: [[UInt8]: String]) async throws {
    let names = HostileName.all
    let keys = names.map { Array((ids[$0.bytes] ?? "?").utf8) + [UInt8(ascii: "/")] + $0.inKey }
    let (objects, listed) = try await AWSReader(storage: rig.setup.storage).read(keys)
    for (index, name) in names.enumerated() {
      #expect(objects[index]?.bytes == Self.data(name), "\(name.text.debugDescription)")
      #expect(objects[index]?.metadata["waybill-id"] == ids[name.bytes])
      #expect(listed.contains(keys[index]), "\(name.text.debugDescription)")
    }
  }

  /// The journal has each name byte for byte, in a message that breaks no line.
  private func expectEntries(_ rig: Rig) async throws {
    let journal = try #require(rig.journal)
    let entries = try await until("an entry for each registered") {
      let entries = try await journal.entries("WAYBILL_EVENT=registered")
      return entries.count == HostileName.all.count ? entries : nil
    }
    #expect(Set(entries.compactMap(\.WAYBILL_FILE.fieldBytes)) == Set(HostileName.all.map(\.bytes)))
    for entry in try await journal.entries() {
      let message = entry.MESSAGE.string ?? "\u{1B}"
      #expect(RawText.found(in: message).isEmpty, "\(message.debugDescription)")
    }
  }

  private func expectNothingRaw(_ rig: Rig) async throws {
    RawText.expectNone(try await rig.daemon.waybill("list"), "list")
    RawText.expectNone(try await rig.daemon.waybill("list", "--json"), "list --json")
    RawText.expectNone(try await rig.daemon.waybill("status"), "status")
    RawText.expectNone(try await rig.daemon.waybill("show", "1", "--json"), "show --json")
  }
}
