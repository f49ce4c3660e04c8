import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The services that speak S3, as `waybill-sandbox --dialect` knows them: with default settings a file is stored and registered, or the
/// first message says which setting is needed, and that is true. In none of them is an object replaced.
@Suite(.slot)
struct DialectTests {
  private static let all = ["aws", "r2", "b2", "gcs", "garage", "seaweedfs", "minio", "scaleway", "wasabi"]
  /// One of three; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
  static let dialects = Seeds.share(all, of: 3)
  /// Each with a checksum; one of seven.
  static let ways = Seeds.share(all.flatMap { one in ["sha256", "crc32c", "crc64nvme"].map { (one, $0) } }, of: 7)
  private static let inParts = ["part_size = \"5MiB\""]

  private static func settings(_ question: String) throws -> [String: String] {
    var settings: [String: String] = [:]
    for match in question.matches(of: try Regex(#"\b([a-z_]+) = (true|false|"[a-z0-9]+")"#)) {
      let words = match.output.extractValues(as: (Substring, Substring, Substring).self)
      if let words, settings[String(words.1)] == nil { settings[String(words.1)] = String(words.2) }
    }
    return settings
  }

  private static func settled(_ rig: Rig) async throws -> JSONValue {
    try await until("it to be registered, or to ask") { () async throws -> JSONValue? in
      let job = try await rig.daemon.job(1)
      let isSettled = ["registered", "awaiting-confirmation", "aborted"].contains(job.state.string)
      return isSettled ? .some(job) : .none
    }
  }

  @Test(arguments: ways)
  func storesFileOrNamesNeededSetting(_ dialect: String, _ checksum: String) async throws {
    for inParts in [false, true] {
      var lines = ["checksum": "\"\(checksum)\""]
      func storageLines() -> [String] { lines.map { "\($0.key) = \($0.value)" } + (inParts ? Self.inParts : []) }
      try await withRig(sandbox: ["--dialect", dialect], { $0.storageLines = storageLines() }) { rig in
        let data = try Bytes.random(inParts ? (11 << 20) + 7 : 70_000)
        try rig.drop("a.bin", data)
        var job: JSONValue = .null
        for _ in 1...3 {
          job = try await Self.settled(rig)
          guard job.state != "registered" else { break }
          let question = job.question.string ?? job.error.string ?? ""
          let named = try Self.settings(question)
          #expect(!named.isEmpty, "\(dialect), \(checksum), in parts \(inParts): \(job)")
          guard !named.isEmpty else { return }
          lines.merge(named) { $1 }
          try await rig.reload {
            $0.storageLines = storageLines().filter { !$0.hasPrefix("overwrite") }
            $0.overwrite = lines["overwrite"] == "true"
          }
          #expect(try await rig.daemon.waybill("retry", "1").status == 0)
        }
        #expect(job.state == "registered", "\(dialect), \(checksum), in parts \(inParts): \(job)")
        #expect(lines.count == 1 || checksum != "sha256", "\(dialect): the default needs \(lines)")
        let object = try await rig.sandbox.objects()[job.key.string ?? ""]
        #expect(object?.sha256.string == (try await Bytes.sha256(data)))
        // One that is a single part, where services differ in the checksum of checksums.
        let single = try Bytes.random(5 << 20)
        try rig.drop("b.bin", single)
        let next = try await rig.daemon.job(named: "b.bin", in: "registered")
        #expect(
          try await rig.sandbox.objects()[next.key.string ?? ""]?.sha256.string == (try await Bytes.sha256(single)))
        #expect(try await rig.sandbox.state().uploads == [])
        #expect(try rig.sandbox.registrations().count == 2)
      }
    }
  }

  /// Two files of one name, and keys without an id.
  @Test(arguments: dialects, [false, true]) func replacesNoObject(_ dialect: String, inParts: Bool) async throws {
    try await withRig(
      sandbox: ["--dialect", dialect],
      {
        $0.key = "{spool}/{name}"
        if inParts { $0.storageLines = Self.inParts }
      }
    ) { rig in
      let first = try Bytes.random(inParts ? 6 << 20 : 1000)
      try rig.drop("a.pdf", first)
      let job = try await Self.settled(rig)
      // A storage without conditions asks for a setting, and nothing is stored.
      guard job.state == "registered" else {
        return #expect(
          try await rig.sandbox.objects().isEmpty && job.question.string?.contains("overwrite = true") == true)
      }
      try rig.drop("a.pdf", try Bytes.random(inParts ? 7 << 20 : 2000))
      let second = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation", newerThan: 1)
      #expect(second.question.string?.contains("an object with this key exists") == true, "\(second)")
      let sum = try await Bytes.sha256(first)
      #expect(try await rig.sandbox.objects()["documents/a.pdf"]?.sha256.string == sum)
    }
  }

  /// Answers that are lost, at each step of both ways.
  @Test(arguments: dialects) func recoversFromLostAnswers(_ dialect: String) async throws {
    try await withRig(
      sandbox: ["--dialect", dialect], { ($0.delays, $0.storageLines) = (["50ms", "50ms"], Self.inParts) }
    ) { rig in
      for (number, kind) in ["upload", "create", "part", "complete"].enumerated() {
        try await rig.sandbox.fail([kind: ["statuses": ["cut-after"]]])
        let data = try Bytes.random(kind == "upload" ? 1000 : 6 << 20)
        try rig.drop("\(kind).bin", data)
        let job = try await rig.daemon.job(named: "\(kind).bin", in: "registered", newerThan: number)
        #expect(try await rig.sandbox.objects()[job.key.string ?? ""]?.sha256.string == (try await Bytes.sha256(data)))
      }
      #expect(try await rig.sandbox.state().uploads == [])
      #expect(try rig.sandbox.registrations().count == 4)
    }
  }
}
