import Jobs
import Testing

/// What two cancels of one job leave is one cleanup.
@Suite struct CleanupAddTests {
  private static let texts: [String?] = [nil, "older", "newer"]

  private func cleanup(remove: Bool = false, version: String? = nil, uploadID: String? = nil) -> Cleanup {
    Cleanup(
      job: JobNumber(rawValue: 42), id: Job.sample().ticket.id, spool: "documents", storage: "main",
      bucket: "documents", key: "a.pdf", remove: remove, version: version, uploadID: uploadID, nextAt: .start)
  }

  /// What the job knew last counts, and what it knew before if it knows no more.
  @Test(arguments: texts, texts)
  func newerVersionAndUploadCount(_ older: String?, _ newer: String?) {
    var now = cleanup(version: older, uploadID: older)
    now.add(cleanup(version: newer, uploadID: newer))
    #expect(now.version == newer ?? older && now.uploadID == newer ?? older)
  }

  @Test(arguments: [false, true], [false, true])
  func removalIsNotTakenBack(_ older: Bool, _ newer: Bool) {
    var now = cleanup(remove: older)
    now.add(cleanup(remove: newer))
    #expect(now.remove == (older || newer))
  }
}
