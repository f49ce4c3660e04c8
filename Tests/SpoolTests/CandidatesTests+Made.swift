import Glibc
@testable import Linux
import Testing

@testable import Spool

/// A file is made by an open, or by the link(2) of one that was written elsewhere (WinSCP, SFTP's rename, O_TMPFILE). It makes no
/// difference where a lease tells that nobody writes.
extension CandidatesTests {
  private func made(size: Int = 1, changed: Int = 1) -> FileFacts {
    var facts = stat()
    facts.st_mode = S_IFREG
    facts.st_ino = 1
    facts.st_nlink = 1
    facts.st_uid = 7
    facts.st_size = off_t(size)
    facts.st_ctim.tv_sec = changed
    return FileFacts(facts)
  }

  @Test func madeFileIsTakenSoonByLease() {
    for leased in [Candidates.Leased.all, .ofUser(7)] {
      #expect(takenAt([.created], .none, facts: made(), leased: leased) == 1)
      #expect(takenAt([.created], .some, facts: made(), leased: leased) == nil)
      #expect(takenAt([.created, .modified], .none, facts: made(), leased: leased) == 20)
      #expect(takenAt([.created], .none, facts: made(size: 0), leased: leased) == 10)
    }
    // With CAP_LEASE no openings are heard: its maker may have it open.
    #expect(takenAt([.created], .unknown, facts: made(), leased: .all) == 300)
    #expect(takenAt([.created], .unknown, facts: made(), leased: .ofUser(7)) == 10)
    #expect(takenAt([.created], .none, facts: made(), leased: .ofUser(8)) == 10)
  }

  /// Its mode or times may be set once it has its name.
  @Test func madeFileMayGetItsMode() {
    var candidates = candidates()
    candidates.leased = .all
    candidates.heard(.created, name, now: start) { _ in made() }
    func taken(_ milliseconds: Int) -> Bool {
      let now = start + .milliseconds(milliseconds)
      candidates.lookAgain(now: now) { _ in made(changed: 2) }
      return candidates.takeReady(now: now, look: { _ in made(changed: 2) }, writers: { _, _ in .none }) == name
    }
    #expect(!taken(500))
    #expect(!taken(999))
    #expect(taken(1000))
  }

  @Test func madeFileIsDistrustedOnceEventsAreLost() {
    var candidates = candidates()
    candidates.leased = .all
    candidates.heard(.created, name, now: start) { _ in made() }
    candidates.distrust(now: start)
    func taken(_ seconds: Int) -> Bool {
      let now = start + .seconds(seconds)
      candidates.lookAgain(now: now) { _ in made() }
      return candidates.takeReady(now: now, look: { _ in made() }, writers: { _, _ in .none }) == name
    }
    #expect(!taken(9))
    #expect(taken(10))
  }
}
