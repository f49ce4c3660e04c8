import ChildProcesses
import Jobs
import Settings
import Testing

/// The settings of files with the bytes of an earlier one.
@Suite struct DuplicateSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func readsDuplicates() throws {
    let plain = try #require(try Sample.load(Sample.smallest, in: directory).spools.first)
    #expect(plain.duplicates == .send && plain.duplicatesWithin == .seconds(90 * 86_400))
    for choice in SpoolOptions.Duplicates.allCases where choice != .send {
      let lines = "duplicates = \"\(choice.rawValue)\"\nduplicates_within = \"30d\"\n"
      let spool = try #require(try Sample.load(Sample.smallest + lines, in: directory).spools.first)
      #expect(spool.duplicates == choice && spool.duplicatesWithin == .seconds(30 * 86_400))
    }
  }

  @Test(arguments: [
    Broken(
      .after("duplicates = \"drop\""),
      #"F:10: spool.documents.duplicates: "drop" is not known; it may be "send", "skip", "link", "ask""#),
    Broken(
      .after("duplicates_within = \"30d\""),
      #"F:10: spool.documents.duplicates_within: has no effect; it needs duplicates = "skip", "link" or "ask""#),
    Broken(
      .after("duplicates = \"skip\"\nduplicates_within = \"1s\""),
      #"F:11: spool.documents.duplicates_within: "1s" is out of range; it may be 1h to 100y"#),
    Broken(
      .after("group = \"directory\"\nmarker = \"done\"\nduplicates = \"skip\""),
      "F:12: spool.documents.duplicates: does not go with group; a group has many files: leave one of them out"),
    Broken(
      .after("link = { presigned = \"7d\" }\nduplicates = \"link\""),
      #"F:11: spool.documents.duplicates: "link" does not go with a signed link; the earlier link expires: use "skip" or "ask", or a link that lasts"#
    ),
  ])
  func faultsAreExplained(_ broken: Broken) throws { try broken.check(in: directory) }
}
