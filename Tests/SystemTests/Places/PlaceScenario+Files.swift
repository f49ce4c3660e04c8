import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that are dropped.
extension PlaceScenario {
  func dropFiles(_ visit: PlaceVisit) async throws {
    try await visit.drop(
      "printf moved > .x && mv .x moved.pdf; printf 'in place' > 'in place.pdf'; printf ü > 'Übung 表.pdf'")
    try await visit.expectRegistered("moved.pdf", "moved")
    try await visit.expectRegistered("in place.pdf", "in place")
    try await visit.expectRegistered("Übung 表.pdf", "ü")
  }

  func dropTrees(_ visit: PlaceVisit) async throws {
    try await visit.drop("mkdir -p .t/deep/er; printf one > .t/one.pdf; printf two > .t/deep/er/two.pdf; mv .t t")
    try await visit.drop("mkdir -p made/here; printf three > made/here/three.pdf")
    for (name, text) in [("one.pdf", "one"), ("two.pdf", "two"), ("three.pdf", "three")] {
      try await visit.expectRegistered(name, text)
    }
  }

  func dropGroup(_ visit: PlaceVisit) async throws {
    try await visit.drop(
      "mkdir -p run/data/deep; printf a > run/a; printf b > run/data/deep/b; printf . > run/done.txt")
    let job = try await visit.place.job(named: "run", in: "registered")
    #expect(job.files == ["stored": 2, "all": 2])
    let bodies = try visit.far.sandbox.registrations().map(\.body).filter { $0.id == job.id }
    #expect(bodies.count == 1)
    #expect(bodies.first?.files.array.compactMap(\.path.string).sorted() == ["a", "data/deep/b"])
    let objects = try await visit.far.sandbox.objects()
    #expect(objects["\(job.key.string ?? "")data/deep/b"]?.sha256.string == (try await Bytes.sha256(Data("b".utf8))))
  }

  func dropPair(_ visit: PlaceVisit) async throws {
    try await visit.drop(#"printf document > scan.pdf; printf '{"case": "881"}' > scan.pdf.json"#)
    let job = try await visit.expectRegistered("scan.pdf", "document")
    #expect(job.metadata == ["case": "881"])
  }

  func archive(_ visit: PlaceVisit, in archive: String) async throws {
    try await visit.drop("printf kept > .x && mv .x \(rawValue).pdf")
    try await visit.expectRegistered("\(rawValue).pdf", "kept")
    try await visit.expectEmpty()
    try await until("the file to be archived") { try visit.place.files(below: archive) == ["\(rawValue).pdf"] }
    #expect(try visit.place.read("\(archive)/\(rawValue).pdf") == "kept")
  }

  func dropWithAttributes(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf attributes > .x")
    let path = visit.place.outside("\(visit.spool)/.x")
    let script = "import os, sys; os.setxattr(sys.argv[1], 'user.waybill.case', sys.argv[2].encode())"
    try await Command.require([try await Products.python.value, "-c", script, path, "881 ü"])
    try await visit.drop("mv .x attributes.pdf")
    let job = try await visit.expectRegistered("attributes.pdf", "attributes")
    #expect(job.metadata == ["case": "881 ü"])
  }

  func dropParts(_ visit: PlaceVisit) async throws {
    let count = 11 << 20
    try await visit.drop("yes | head -c \(count) > .x && mv .x parts.pdf")
    let before = try await visit.sandbox.count("complete")
    try await visit.expectRegistered("parts.pdf", String(repeating: "y\n", count: count / 2))
    #expect(before <= 1)
    #expect(try await visit.sandbox.count("complete") == 1)
  }

  func dropAsStranger(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf secret > .x && mv .x secret.pdf; printf 'in place' > written.pdf", as: .stranger)
    try await visit.expectRegistered("secret.pdf", "secret")
    try await visit.expectRegistered("written.pdf", "in place")
  }

  /// With the right to ask, the kernel says that it is open; without it, the daemon has heard of the opening, and hears of the closing.
  func writeWithAPause(_ visit: PlaceVisit) async throws {
    async let writer: Void = visit.drop(
      "exec 3> written.txt; printf one >&3; while [ ! -e .go ]; do sleep 0.05; done; printf two >&3; exec 3>&-; rm .go")
    try await until("it to be waited for") {
      let command = try await visit.place.operate(["waybill", "explain", "--json", "\(visit.spool)/written.txt"])
      guard command.status == 0 else { return false }
      let file = try JSONValue(parsing: command.output).files.array.first
      return ["open", "uncertain"].contains(file?.reasons.array.first?.reason.string)
    }
    try await visit.drop("touch .go")
    try await writer
    try await visit.expectRegistered("written.txt", "onetwo")
  }

  /// A file that stays rests: no look meets it in another state. That is so whoever it belongs to.
  func keep(_ visit: PlaceVisit) async throws {
    let waiting: JSONValue = ["too-small": 2, "not-listed": 1]
    try await visit.drop("printf txt > other.txt; printf abc > .x && mv .x small.pdf")
    try await visit.drop("printf own > .y && mv .y own.pdf", as: .own)
    try await until("all to be left alone") { try await visit.status().waiting == waiting }
    for _ in 1...2 {
      let last = try await visit.status().last_scan
      try await until("another scan") {
        let status = try await visit.status()
        #expect(status.waiting == waiting, "\(status)")
        return status.last_scan != last
      }
    }
    let explained = try await visit.waybill("explain", "\(visit.spool)/small.pdf", "\(visit.spool)/other.txt")
    #expect(explained.contains("fewer than min_size, 4") && explained.contains("*.pdf"), "\(explained)")
    try await visit.drop("printf def >> small.pdf; rm other.txt")
    try await visit.drop("printf ' one' >> own.pdf", as: .own)
    try await visit.expectRegistered("small.pdf", "abcdef")
    try await visit.expectRegistered("own.pdf", "own one")
  }
}
