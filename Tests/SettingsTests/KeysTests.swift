import ChildProcesses
import Foundation
import Settings
import Testing

/// The keys that a configuration may have, against the page and the file that explain them.
@Suite(.aside) struct KeysTests {
  private func problems(_ section: String, _ line: String) throws -> [String] {
    try Sample.problems(section, line, in: try TemporaryFolder())
  }

  private func known(_ section: String) throws -> [String] { try Sample.known(section, in: try TemporaryFolder()) }

  @Test(arguments: Sample.sections) func shippedFileShowsExactlyKnownKeys(section: String, heading: String) throws {
    #expect(Sample.keys(of: section, in: try Sample.shipped("waybill-all")).sorted() == (try known(section)))
  }

  /// The short sample shows the keys that the schema marks as usual, and what it says of them is what the full one says.
  @Test(arguments: Sample.sections) func shortSampleShowsUsualKeys(section: String, heading: String) throws {
    let sample = try Sample.shipped("waybill")
    let schema = try SchemaFile("waybill.toml")
    let marked = try schema.members(try schema.definition(heading.lowercased())).filter { $1["x-level"] != nil }
    #expect(Sample.keys(of: section, in: sample).sorted() == marked.keys.sorted())
    let all = Set(Sample.lines(of: section, in: try Sample.shipped("waybill-all")))
    for line in Sample.lines(of: section, in: sample) where !line.hasPrefix("# ") {
      #expect(all.contains(line), "\(section) \(line)")
    }
  }

  /// A section with keys that are often set begins with them, in the order of the short sample. Other sections have no levels.
  @Test(arguments: Sample.sections) func manualHasUsualKeysFirst(section: String, heading: String) throws {
    let shown = Sample.keys(of: section, in: try Sample.shipped("waybill"))
    #expect(try Sample.usual(heading) == shown)
    let part = try Sample.manual(heading)
    let levels = part.matches(of: /\n\.Ss (.*)\n/).map { String($0.1) }
    #expect(levels == (shown.isEmpty ? [] : ["Often set", "The rest"]))
    #expect(Sample.explained(part).starts(with: shown))
    #expect(Set(Sample.explained(part).dropFirst(shown.count)).isDisjoint(with: shown))
  }

  @Test(arguments: Sample.sections) func manualExplainsExactlyKnownKeys(
    section: String, heading: String
  ) throws {
    let explanations = try Sample.explanations(heading)
    #expect(explanations.keys.sorted() == (try known(section)))
    for (key, words) in explanations {
      #expect(
        ["efault", "Required", "As for a storage", "See\n", "moves files to"].contains { words.contains($0) },
        "\(section) \(key): what it is without it")
    }
  }

  @Test(arguments: Sample.sections) func manualGivesLimitsOfEachKey(section: String, heading: String) throws {
    let explanations = try Sample.explanations(heading)
    var limited = 0
    for key in try known(section) {
      for value in ["100000000", "\"5000y\"", "\"4000TiB\"", "-0.5"] {
        let told = try problems(section, "\(key) = \(value)").compactMap { problem in
          problem.contains(".\(key): ") ? problem.firstMatch(of: /it may be (.* to .*)$/)?.1 : nil
        }
        guard let limits = told.first else { continue }
        limited += 1
        let words = try #require(explanations[key]).replacing("\\-", with: "-")
        // The least limit of the bandwidth is another one, as 0 is none.
        let given = key == "bandwidth" ? "16KiB to 1TiB" : String(limits)
        #expect(words.contains(given) || words.contains("As for a storage"), "\(section) \(key): \(limits)")
      }
    }
    #expect(limited > 0 || ["RETRY", "WEBHOOK"].contains(heading))
  }

  @Test func manualMarksKeysNeedingRestart() throws {
    let page = try String(contentsOfFile: Products.source("man/waybill.toml.5"), encoding: .utf8)
    let items = page.components(separatedBy: "\n.It Ic ").dropFirst()
    let restart = items.filter { $0.contains("A change needs a restart.") }.map { $0.prefix { $0 != "\n" } }
    let directory = try TemporaryFolder()
    let old = try Sample.load(Sample.smallest, in: directory)
    let new = try Sample.load(
      "[daemon]\nstate = \"/srv/s\"\ncontrol = \"/srv/c\"\nconcurrency = 2\nmin_free = \"1GiB\"\n"
        + "bandwidth = \"1GiB\"\ntimezone = \"Europe/Berlin\"\nhistory = \"1d\"\njournal = \"debug\"\n"
        + Sample.smallest,
      in: directory)
    let needed = new.changes(from: old).needsRestart.map { $0.components(separatedBy: ".").last ?? $0 }
    // The listener for metrics is not there yet, so no other value can be loaded.
    #expect(Set(restart.map(String.init)) == Set(needed + ["metrics"]))
  }
}
