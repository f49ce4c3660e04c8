import Jobs
import Testing

/// What one job leaves under one key is one cleanup.
@Suite struct CleanupAddTests {
  private static let texts: [String?] = [nil, "older", "newer"]

  private func cleanup(aim: Cleanup.Aim = .look, version: String? = nil, uploadID: String? = nil) -> Cleanup {
    Cleanup(
      job: JobNumber(rawValue: 42), id: Job.sample().ticket.id, spool: "documents", storage: "main",
      bucket: "documents", key: "a.pdf", aim: aim, version: version, uploadID: uploadID, nextAt: .start)
  }

  /// What the job knew last counts, and what it knew before if it knows no more.
  @Test(arguments: texts, texts)
  func newerVersionAndUploadCount(_ older: String?, _ newer: String?) {
    var now = cleanup(version: older, uploadID: older)
    now.add(cleanup(version: newer, uploadID: newer))
    #expect(now.version == newer ?? older && now.uploadID == newer ?? older)
  }

  @Test(arguments: Cleanup.Aim.allCases, Cleanup.Aim.allCases)
  func aimIsNotTakenBack(_ older: Cleanup.Aim, _ newer: Cleanup.Aim) {
    var now = cleanup(aim: older)
    now.add(cleanup(aim: newer))
    #expect(now.aim == max(older, newer))
  }
}
