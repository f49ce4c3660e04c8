import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a real daemon sends, as receivers get it: it fits the schemas, and public libraries verify and read it.
@Suite(.slot, .needs(.publicReaders))
struct SentBodyTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  /// The one that takes its place: both sign meanwhile.
  private static let next = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
  private static let other = "whsec_d3Jvbmcgd3Jvbmcgd3Jvbmc="

  /// A daemon between the sandbox's storage and receivers that keep every byte: a backend, and one of notices.
  private func withReceivers(
    _ adjust: (inout DaemonSetup, _ backend: String, _ secret: String) -> Void = { _, _, _ in },
    _ body: (Rig, _ backend: NoticeReceiver, _ hooks: NoticeReceiver) async throws -> Void
  ) async throws {
    try await withRig(starting: false) { rig in
      let backend = try NoticeReceiver(in: rig.folder)
      let hooks = try NoticeReceiver(in: rig.folder)
      let secret = rig.folder.appending(path: "signing").path
      try "\(Self.secret) \(Self.next)\n".write(toFile: secret, atomically: true, encoding: .utf8)
      var setup = rig.setup
      setup.backend = backend.url + "/documents"
      setup.delays = ["1s"]
      setup.backendLines = ["signing_secret = { file = \"\(secret)\" }"]
      setup.furtherSpools =
        "[webhook.all]\nurl = \"\(hooks.url)/all\"\nsigning_secret = { file = \"\(secret)\" }\n"
        + "token = { file = \"\(setup.secretKeyFile.path)\" }\n"
        + "[webhook.aborted]\nurl = \"\(hooks.url)/aborted\"\nevents = [\"aborted\"]\n"
      adjust(&setup, backend.url, secret)
      try setup.write()
      try await rig.daemon.start()
      try await body(rig, backend, hooks)
    }
  }

  /// Has a library of Standard Webhooks look at each request: both secrets have signed it, at the time of its attempt, and
  /// no other form of it counts.
  private func verify(_ requests: [JSONValue], since start: Date) async throws -> [JSONValue] {
    #expect(!requests.isEmpty)
    let answers = try await PublicReaders.read(webhooks: requests, secrets: [Self.secret, Self.next, Self.other])
    for (request, answer) in zip(requests, answers) {
      #expect(answer.signed == [.string(Self.secret), .string(Self.next)], "\(request)")
      #expect(answer.counts == [], "\(request)")
      let time = try #require(request.headers["webhook-timestamp"].string.flatMap { Double($0) })
      #expect(start.timeIntervalSince1970.rounded(.down)...Date().timeIntervalSince1970 ~= time)
      #expect(request.headers["webhook-id"].string?.contains(".") == false)
    }
    return answers
  }

  private func bodies(_ requests: [JSONValue]) -> [String] { requests.compactMap(\.body.string) }

  @Test func registrationsFitSchemaAndVerify() async throws {
    let start = Date()
    try await withReceivers { setup, backend, secret in
      setup.furtherSpools += """
        [backend.events]
        url = "\(backend)/events"
        format = "cloudevents"
        signing_secret = { file = "\(secret)" }
        [[spool]]
        path = "\(setup.folder.appending(path: "events").path)"
        backend = "events"
        settle_unseen = "200ms"
        [[spool]]
        path = "\(setup.folder.appending(path: "groups").path)"
        backend = "main"
        marker = "CopyComplete.txt"
        settle_unseen = "200ms"
        """
      for name in ["events", "groups"] {
        try? FileManager.default.createDirectory(
          at: setup.folder.appending(path: name), withIntermediateDirectories: true)
      }
    } _: { rig, backend, _ in
      try await rig.drop([
        .init(name: Array("scan 1.pdf".utf8), data: [1], attributes: ["user.waybill.author": Array("an\"nä".utf8)]),
        .init(name: [0x61, 0xFF, 0x2E, 0x70, 0x64, 0x66], data: []),
      ])
      try rig.drop("event ü.pdf", in: "events")
      let group = rig.folder.appending(path: "run42")
      try Groups.make(group, try Groups.bytes().merging(["CopyComplete.txt": Data()]) { $1 })
      try FileManager.default.moveItem(at: group, to: rig.folder.appending(path: "groups/run42"))
      try await until("all to be registered") { try await rig.daemon.count("registered") == 4 }

      let documents = backend.requests("/documents")
      #expect(documents.count == 3)
      _ = try await verify(documents, since: start)
      #expect(try await PublicReaders.faults("registration", texts: bodies(documents)) == [:])
      let parsed = try bodies(documents).map { try JSONValue(parsing: $0) }
      #expect(parsed.contains { $0.name_base64 == "Yf8ucGRm" } && parsed.contains { $0.files.array.count == 6 })

      let events = backend.requests("/events")
      let answer = try #require(try await verify(events, since: start).first)
      #expect(try await PublicReaders.faults("cloudevent", texts: bodies(events)) == [:])
      let document = answer.event.data
      #expect(try await PublicReaders.faults("registration", texts: [document.description]) == [:])
      let attributes = answer.event.attributes
      #expect(attributes.specversion == "1.0" && attributes.type == "waybill.document.stored", "\(attributes)")
      #expect(attributes.id == document.id && attributes.subject == document.key, "\(attributes)")
      #expect(attributes.source.string?.hasSuffix("/events") == true && document.name == "event ü.pdf")
      #expect(attributes.time.string?.prefix(19) == document.uploaded_at.string?.prefix(19))
      // What is no registration does not fit.
      let wrong = document.description.replacing("\"size\":", with: "\"length\":")
      #expect(try await PublicReaders.faults("registration", texts: [wrong]).count == 1)
    }
  }

  @Test func noticesFitSchemaAndVerify() async throws {
    let start = Date()
    // A host's name may have dots, and an id must not.
    try await withReceivers { rig, backend, hooks in
      backend.answers("422")
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      backend.answers("503")
      try await rig.drop("b.pdf", until: "aborted")
      backend.answers("201")
      #expect(try await rig.daemon.waybill("pause", "--spool", "documents").status == 0)
      #expect(try await rig.daemon.waybill("resume", "--spool", "documents").status == 0)
      // A spool that is away is a problem, and is none when it is back.
      let away = rig.folder.appending(path: "away")
      try FileManager.default.moveItem(at: rig.setup.spool, to: away)
      let told: () throws -> Set<String> = { Set(try hooks.notices("/all").compactMap(\.event.string)) }
      try await until("a problem to be told") { try told().contains("problem") }
      try FileManager.default.moveItem(at: away, to: rig.setup.spool)
      try await until("all to be told") {
        try told().isSuperset(of: ["question", "aborted", "gate-closed", "gate-opened", "problem", "problem-over"])
      }
      let requests = hooks.requests("/all")
      _ = try await verify(requests, since: start)
      let bearer = JSONValue.string("Bearer \(rig.setup.storage.secretKey)")
      #expect(requests.allSatisfy { $0.headers.authorization == bearer })
      try await until("the other receiver to be told") { try !hooks.notices("/aborted").isEmpty }
      #expect(try hooks.notices("/aborted").map(\.event) == ["aborted"])
      #expect(try await PublicReaders.faults("webhook", texts: bodies(requests)) == [:])
      #expect(Set(requests.map { $0.headers["webhook-id"] }).count == requests.count)
      let wrong = bodies(requests).map { $0.replacing("\"left_out\":0", with: "\"left_out\":-1") }
      #expect(try await PublicReaders.faults("webhook", texts: wrong).count == wrong.count)
    }
  }
}
