import ChildProcesses
import Foundation
import Settings
import Testing

/// The keys that a configuration may have, against the page and the file that explain them.
@Suite struct KeysTests {
  /// The sections: how a configuration begins one, its heading in waybill.toml(5), and what is on the page of each key.
  private static let sections = [
    ("[daemon]", "DAEMON"), ("[retry]", "RETRY"), ("[storage.main]", "STORAGE"), ("[backend.main]", "BACKEND"),
    ("[[spool]]", "SPOOL"),
  ]

  /// The keys that the reader knows: it names them all where it meets one that is like none of them.
  private func known(_ section: String) throws -> [String] {
    let directory = try TemporaryFolder()
    let line = "\(section)\nunheard-of-and-like-no-other = 1\n"
    let isThere = Sample.smallest.contains(section + "\n")
    let text = isThere ? Sample.smallest.replacing(section + "\n", with: line) : line + Sample.smallest
    let problems = try Sample.problems(text, in: directory)
    let told = problems.compactMap { $0.firstMatch(of: /unknown key; the keys here are (.*)$/)?.1 }
    return try #require(told.first, "\(problems)").split(separator: ", ").map(String.init).sorted()
  }

  @Test(arguments: sections) func theShippedFileShowsEachKeyAndNoOther(section: String, heading: String) throws {
    let text = try String(contentsOfFile: Products.source("etc/waybill.toml"), encoding: .utf8)
    let body = try #require(text.components(separatedBy: "\n\(section)\n").last)
    let lines = body.split(separator: "\n").prefix { !$0.hasPrefix("[") }
    let shown = lines.compactMap { $0.firstMatch(of: #/^#?([a-z_]+) =/#)?.1 }.map(String.init)
    #expect(shown.sorted() == (try known(section)))
  }

  @Test(arguments: sections) func thePageExplainsEachKeyWithItsDefaultAndNoOther(
    section: String, heading: String
  ) throws {
    let page = try String(contentsOfFile: Products.source("man/waybill.toml.5"), encoding: .utf8)
    let part = try #require(
      page.components(separatedBy: "\n.Sh \(heading)\n").last?.components(separatedBy: "\n.Sh ").first)
    var explained: [String] = []
    for item in part.components(separatedBy: "\n.It ").dropFirst() where item.hasPrefix("Ic ") {
      let tag = item.prefix { $0 != "\n" }
      explained += tag.replacing("Ic ", with: "").split(separator: ", ").map { $0.trimmingCharacters(in: .whitespaces) }
      let words = item.dropFirst(tag.count)
      #expect(
        ["efault", "Required", "As for a storage", "See\n", "moves files to"].contains { words.contains($0) },
        "\(section) \(tag): what it is without it")
    }
    #expect(explained.sorted() == (try known(section)))
  }

  /// What a reload cannot change says so where it is explained.
  @Test func thePageSaysOfEachKeyThatNeedsARestart() throws {
    let page = try String(contentsOfFile: Products.source("man/waybill.toml.5"), encoding: .utf8)
    let items = page.components(separatedBy: "\n.It Ic ").dropFirst()
    let restart = items.filter { $0.contains("A change needs a restart.") }.map { $0.prefix { $0 != "\n" } }
    let directory = try TemporaryFolder()
    let old = try Sample.load(Sample.smallest, in: directory)
    let new = try Sample.load(
      "[daemon]\nstate = \"/srv/s\"\ncontrol = \"/srv/c\"\nconcurrency = 2\nadmit_ahead = 9\nmin_free = \"1GiB\"\n"
        + "bandwidth = \"1GiB\"\ngrace = \"1s\"\nhistory = \"1d\"\njournal = \"debug\"\n" + Sample.smallest,
      in: directory)
    let needed = new.changes(from: old).needsRestart.map { $0.components(separatedBy: ".").last ?? $0 }
    // The listener for metrics is not there yet, so no other value can be loaded.
    #expect(Set(restart.map(String.init)) == Set(needed + ["metrics"]))
  }
}
