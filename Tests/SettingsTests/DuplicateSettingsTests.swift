import ChildProcesses
import Jobs
import Settings
import Testing

/// The settings of files with the bytes of an earlier one.
@Suite struct DuplicateSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: SpoolOptions.Duplicates.allCases) func readsDuplicates(_ choice: SpoolOptions.Duplicates) throws {
    #expect(try Sample.load(Sample.smallest, in: directory).spools.first?.duplicates == .send)
    let lines = "duplicates = \"\(choice.rawValue)\"\n"
    #expect(try Sample.load(Sample.smallest + lines, in: directory).spools.first?.duplicates == choice)
  }

  @Test(
    arguments: Broken.rows(
      #"""
      + duplicates = "drop"
        F:10: spool.documents.duplicates: "drop" is not known; it may be "send", "skip"
      + marker = "done"⏎duplicates = "skip"
        F:11: spool.documents.duplicates: does not go with marker; a group has many files: leave one of them out
      """#))
  func faultsAreExplained(_ broken: Broken) throws { try broken.check(in: directory) }
}
