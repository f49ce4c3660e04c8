import ChildProcesses
import Jobs
import Settings
import Testing

/// Files that stay where they are (`after = "keep"`).
@Suite struct KeepSettingsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func keepIsRead() throws {
    let spool = try Sample.load(
      Sample.smallest + "after = \"keep\"\nrecursive = true\n", in: directory
    ).spools[0]
    #expect(spool.after == .keep && spool.keepsFiles)
    #expect(spool.archivePath == nil && spool.inPlaceState == nil)
    let usual = try Sample.load(Sample.smallest, in: directory).spools[0]
    #expect(!usual.keepsFiles)
  }

  @Test(
    arguments: Broken.rows(
      #"""
      + after = "keep"⏎archive = "/srv/archive"
        F:11: spool.documents.archive: has no effect; it needs after = "archive"
      + after = "keep"⏎sidecar = "{name}.json"
        F:11: spool.documents.sidecar: does not go with after = "keep"; a pair is claimed by two renames: leave one of them out
      + after = "keep"⏎marker = "*.done"
        F:11: spool.documents.marker: does not go with after = "keep"; a group is claimed by a rename: leave one of them out
      + after = "keep"⏎recursive = true⏎folders = "remove"
        F:12: spool.documents.folders: does not go with after = "keep"; nothing is removed from the directory: leave one of them out
      """#))
  func refusesWhatNeedsARename(broken: Broken) throws { try broken.check(in: directory) }
}
