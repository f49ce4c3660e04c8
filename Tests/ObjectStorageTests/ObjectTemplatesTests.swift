import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

@Suite(.slot) struct ObjectTemplatesTests {
  private static func facts(_ name: String = "Größe 1.pdf", _ metadata: [String: String] = [:]) -> KeyFacts {
    KeyFacts(
      spool: "docs", id: JobID(high: 1, low: 2), name: FileName(name), job: JobNumber(rawValue: 42), host: "h",
      time: Timestamp(year: 2026, month: 11, day: 24, hour: 6), metadata: metadata)
  }

  private func render(
    headers: [String: String] = [:], tags: [String: String] = [:], lock: ObjectLock? = nil, _ facts: KeyFacts,
    locked: Bool = true
  ) throws -> [String: String] {
    let templates = try ObjectTemplates(headers: headers, tags: tags, lock: lock)
    let rendered = try (locked ? templates : templates.withoutLock).render(facts)
    return Dictionary(uniqueKeysWithValues: rendered.map { ($0.name, $0.value) })
  }

  @Test func encodesAndSortsTags() throws {
    let facts = Self.facts("a+b.pdf", ["case": "17/24 ä"])
    let headers = try render(
      tags: ["type": "{ext}", "case": "{metadata.case}", "größe": "{name}", "none": "{metadata.none}"], facts)
    #expect(headers == ["x-amz-tagging": "case=17%2F24%20%C3%A4&gr%C3%B6%C3%9Fe=a%2Bb.pdf&type=pdf"])
    #expect(try render(tags: ["none": "{metadata.none}"], facts).isEmpty)
  }

  @Test func tagsAndHeadersTakePartsOfNames() throws {
    var facts = Self.facts("17_ä.pdf")
    facts.captures = ["case": "17", "word": "ä"]
    let templates = try ObjectTemplates(
      headers: ["x-amz-meta-word": "{word}"], tags: ["case": "{case}", "none": "{none}", "word": "{word}"], lock: nil,
      captures: ["case", "word", "none"])
    let rendered = try templates.render(facts)
    #expect(
      Dictionary(uniqueKeysWithValues: rendered.map { ($0.name, $0.value) }) == [
        "x-amz-tagging": "case=17&word=%C3%A4", "x-amz-meta-word": "=?UTF-8?B?w6Q=?=",
      ])
    #expect(throws: TemplateFault.self) { try ObjectTemplates(headers: [:], tags: ["a": "{case}"], lock: nil) }
  }

  @Test(arguments: [
    ("x;y", "the tag case of the object has the character ; in it"),
    (String(repeating: "x", count: 257), "the tag case of the object is longer than 256 characters"),
  ])
  func rejectsInvalidTagValue(value: String, words: String) throws {
    let error = #expect(throws: Failure.self) {
      try render(tags: ["case": "{metadata.case}"], Self.facts("a", ["case": value]))
    }
    #expect(error?.kind == .rejected && error?.words.hasPrefix(words) == true)
  }

  @Test func headersTakePlaceholders() throws {
    let facts = Self.facts("Größe 1.pdf", ["class": "GLACIER", "note": "ä\r\nx: y"])
    let headers = try render(
      headers: [
        "x-amz-storage-class": "{metadata.class}", "x-amz-acl": "{metadata.acl}",
        "Content-Disposition": "attachment; filename=\"{name}\"", "x-amz-meta-note": "{metadata.note}",
        "X-Note": "{metadata.note} ",
      ], facts)
    #expect(
      headers == [
        "x-amz-storage-class": "GLACIER", "Content-Disposition": "attachment; filename=\"Gr__e 1.pdf\"",
        "x-amz-meta-note": "=?UTF-8?B?w6QNCng6IHk=?=", "X-Note": "%C3%A4%0D%0Ax: y",
      ])
  }

  private static let names: [(FileName, String, String)] = [
    (FileName("a 1.pdf"), "a 1.pdf", "a%201.pdf"), (FileName(#"a"b\c.pdf"#), #"a\"b\\c.pdf"#, "a%22b%5Cc.pdf"),
    (FileName("a\r\nX-Evil: 1\t\u{7F}"), "a__X-Evil: 1__", "a%0D%0AX-Evil%3A%201%09%7F"),
    (FileName("\";filename=x"), "\\\";filename=x", "%22%3Bfilename%3Dx"),
    (FileName("ü🧾.x"), "__.x", "%C3%BC%F0%9F%A7%BE.x"),
    (FileName("\\"), #"\\"#, "%5C"), (FileName("50%25.x"), "50%25.x", "50%2525.x"), (FileName("'*"), "'*", "%27%2A"),
    (FileName(bytes: [0x61, 0xFF, 0x25]), "a%FF%25", "a%25FF%2525"),
    (
      FileName(bytes: Array(repeating: 0xFF, count: 255)), String(repeating: "%FF", count: 255),
      String(repeating: "%25FF", count: 255)
    ),
    (
      FileName(String(repeating: "\"", count: 255)), String(repeating: "\\\"", count: 255),
      String(repeating: "%22", count: 255)
    ),
  ]

  /// A quoted-string (RFC 9110, 5.6.4) and an ext-value (RFC 8187, 3.2.1) for any name.
  @Test(arguments: names) func dispositionHoldsAnyName(name: FileName, quoted: String, extended: String) throws {
    var facts = Self.facts()
    facts.name = name
    let header = try #require(
      try render(headers: ["C": "attachment; filename=\"{name}\"; filename*={name:header}"], facts)["C"])
    #expect(header == "attachment; filename=\"\(quoted)\"; filename*=UTF-8''\(extended)")
    let form = #/attachment; filename="(?:[ !#-\[\]-~]|\\["\\])*"; filename\*=UTF-8''[A-Za-z0-9%._~-]+/#
    #expect(header.wholeMatch(of: form) != nil)
  }

  @Test func headersKeepTrackOfQuotes() throws {
    let facts = Self.facts("a", ["q": "\"ä"])
    let headers = try render(
      headers: [
        "A": #"a="\"{metadata.q}\\"; b={metadata.q}"#, "B": #"{metadata.q} "x{metadata.q}""#,
        "x-amz-meta-c": "{metadata.q:header}", "D": "{metadata.none}",
      ], facts)
    #expect(
      headers == [
        "A": #"a="\"\"_\\"; b="%C3%A4"#, "B": #""%C3%A4 "x\"_""#, "x-amz-meta-c": "UTF-8''%22%C3%A4",
      ])
    for name in ["name:", "name:Header", "nope:header", ":header", "metadata.:header"] {
      #expect(throws: TemplateFault.self) { try render(headers: ["A": "{\(name)}"], facts) }
      #expect(throws: TemplateFault.self) { try render(tags: ["A": "{name:header}"], facts) }
    }
  }

  @Test func lockCountsFromAdmission() throws {
    let years = Duration.seconds(7 * 31_557_600)
    let lock = ObjectLock(retention: .init(mode: .compliance, span: years), hasLegalHold: true)
    let headers = try render(headers: ["x-amz-object-lock-legal-hold": "{metadata.hold}"], lock: lock, Self.facts())
    #expect(
      headers == [
        "x-amz-object-lock-mode": "COMPLIANCE", "x-amz-object-lock-retain-until-date": "2033-11-24T06:00:00Z",
        "x-amz-object-lock-legal-hold": "ON",
      ])
    #expect(try render(tags: ["a": "b"], lock: lock, Self.facts(), locked: false) == ["x-amz-tagging": "a=b"])
  }

  /// Attempts at other times, with another one's answer lost in between: all of them send the same, in one PUT and in parts.
  @Test(arguments: [1, 6 << 20]) func everyAttemptSendsSameHeaders(size: Int) async throws {
    let count = Atomic(0)
    let peer = try LoopbackPeer { request in
      if request.method == "HEAD" { return .answer(404, [:]) }
      return count.add(1, ordering: .relaxed).newValue < 3 ? .answer(500, [:]) : .answer(200, ["ETag": "\"e\""])
    }
    let file = try TestFile(TestFile.bytes(size))
    for year in [2027, 2028, 2029] {
      let options = StorageSettings(peer.url) {
        $0.headers = ["x-amz-storage-class": "{metadata.class}"]
        $0.tags = ["case": "{metadata.case}", "day": "{yyyy}-{mm}-{dd}"]
        $0.objectLock = ObjectLock(retention: .init(mode: .governance, span: .seconds(365 * 86_400)))
        $0.multipartThreshold = 5 << 20
      }
      let bucket = try TestBucket.make(options, now: { Timestamp(year: year, month: 1, day: 1) })
      var object = try file.object()
      object.facts = Self.facts("a.pdf", ["class": "GLACIER", "case": "17"])
      _ = await bucket.upload(object)
    }
    let sent = peer.requests.filter { $0.method == (size == 1 ? "PUT" : "POST") }.map { request in
      request.headers.filter { header in
        ["x-amz-tagging", "x-amz-storage-class"].contains(header[0].lowercased())
          || header[0].lowercased().hasPrefix("x-amz-object-lock-")
      }.map { $0[0].lowercased() + ": " + $0[1] }.sorted()
    }
    #expect(sent.count >= 3)
    #expect(
      Set(sent) == [
        [
          "x-amz-object-lock-mode: GOVERNANCE", "x-amz-object-lock-retain-until-date: 2027-11-24T06:00:00Z",
          "x-amz-storage-class: GLACIER", "x-amz-tagging: case=17&day=2026-11-24",
        ]
      ])
  }

  @Test(arguments: [
    ("{metadata.case}/{name}", "17/a.pdf"), ("in/{metadata.none}/{name}", "in/a.pdf"),
    ("{metadata.up}/{name}", "%2E%2E/%2E%2E/a.pdf"), ("{metadata.slashes}/{name}", "x/a.pdf"),
    ("{yyyy}/{mm}/{dd}/{name}", "2027/01/01/a.pdf"),
  ])
  func keysTakeMetadataAndLocalDates(template: String, key: String) throws {
    var facts = Self.facts("a.pdf", ["case": "17", "up": "../..", "slashes": "//x//"])
    facts.time = Timestamp(year: 2026, month: 12, day: 31, hour: 23)
    facts.offset = 3600
    #expect(try KeyTemplate(template).render(facts) == key)
  }
}
