import Jobs
import MessageLiterals
import SQLite
import Testing

@testable import Ledger

@Suite struct SentFilesTests {
  private var kept: KeptBox
  private var box: LedgerBox { kept.box }
  private var ledger: JobLedger { kept.ledger }

  init() throws { kept = try KeptBox() }

  private static let sum = KeptBox.sum
  private let source = KeptSource(path: "/media/card", epoch: nil, ledger: nil)

  private func begin(_ source: KeptSource? = nil, spool: String = "card", in ledger: JobLedger? = nil) async throws {
    _ = try await (ledger ?? self.ledger).begin(source ?? self.source, of: spool, .sample) { $0 == spool }
  }

  private func standing(_ file: KeptFile, spool: String = "card", _ route: Route = .sample) async throws
    -> KeptStanding?
  { try await kept.standing(file, spool: spool, route) }

  private func sent(like file: KeptFile, spool: String = "card") async throws -> [SentFile] {
    try await ledger.sentFiles(like: .sample(file, spool: spool), sha256: Self.sum)
  }

  private func admit(_ file: KeptFile, spool: String = "card", _ route: Route = .sample) async throws -> Job? {
    try await kept.admit(file, spool: spool, route)
  }

  @discardableResult
  private func register(_ file: KeptFile, sum: String = sum) async throws -> Job {
    let job = try #require(try await admit(file))
    let next = try #require(try await ledger.finish(job, .uploaded(.sample(sha256: sum)), thenTakeIn: both).next)
    return try #require(try await ledger.finish(next, .registered(.sample), thenTakeIn: nil).job)
  }

  /// While a job goes on or asks, what changed is its own attempt's business. Once it is stopped, the file that it had stays known, and
  /// other bytes under its name are a new file.
  @Test(arguments: [Verdict.retry(after: .seconds(5)), .ask, .awaitNetwork])
  func openJobKeepsItsFile(_ verdict: Verdict) async throws {
    try await begin()
    let job = try #require(try await admit(.sample("a")))
    _ = try await ledger.finish(job, .failed(Failure(.network, "no"), verdict), thenTakeIn: nil)
    let changed = KeptFile.sample("a", size: 9, changed: 77)
    #expect(try await standing(changed) == .known(job.number))
    #expect(try await admit(changed) == nil)
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .recovery)
    #expect(try await standing(.sample("a")) == .known(job.number))
    #expect(try await standing(changed) == .new)
    _ = try await ledger.carryOut(.discard, on: .number(job.number), by: .recovery)
    #expect(try await standing(changed) == .new)
    #expect(try await standing(.sample("a")) == .known(job.number), "the file that was given up is not sent again")
  }

  /// A file that changed while it was sent is known as it was last, so that a person can give it up.
  @Test func changeDuringTheAttemptIsOnTheList() async throws {
    try await begin()
    let job = try #require(try await admit(.sample("a")))
    let changed = KeptFile.sample("a", size: 9, modified: 9, changed: 9)
    _ = try await ledger.finish(
      job, .changed(Failure(.fileChanged, "it grew"), .ask, now: changed.identity), thenTakeIn: nil)
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .recovery)
    _ = try await ledger.carryOut(.discard, on: .number(job.number), by: .recovery)
    #expect(try await standing(changed) == .known(job.number))
    #expect(try await standing(.sample("a", size: 10, modified: 10, changed: 10)) == .new)
  }

  @Test func changedFileIsNewAfterTheEnd() async throws {
    try await begin()
    let job = try await register(.sample("a"))
    #expect(try await standing(.sample("a")) == .known(job.number))
    let changed = KeptFile.sample("a", size: 4, modified: 9, changed: 9)
    #expect(try await standing(changed) == .new)
    // The bytes that were sent before can be recognised while the new job is not over.
    _ = try #require(try await admit(changed))
    let sent = try await sent(like: .sample("a"))
    #expect(sent.first == SentFile(name: FileName("a"), inode: 2, job: job.number))
    #expect(try await self.sent(like: .sample("a", size: 4)) == [])
    #expect(try await self.sent(like: .sample("a"), spool: "other") == [])
  }

  /// Two cards have different files of one name. Each is recognised when its card is back, however often they change places.
  @Test func cardsWithSameNamesKeepTheirBytes() async throws {
    try await begin()
    let other = String(repeating: "1e", count: 32)
    let first = try await register(.sample("a"))
    let second = try await register(.sample("a", inode: 7, modified: 8, changed: 8), sum: other)
    #expect(try await sent(like: .sample("a")).first == SentFile(name: FileName("a"), inode: 2, job: first.number))
    // It was touched meanwhile, is read, and is known with its new facts under the job that sent it.
    let touched = KeptFile.sample("a", inode: 9, modified: 11, changed: 11)
    let third = try #require(try await admit(touched))
    let recognized = Recognized(job: first.number, sha256: Self.sum)
    let end = try await ledger.finish(third, .recognized(recognized), thenTakeIn: nil)
    #expect(end.job?.state == .skipped)
    #expect(try await standing(touched) == .known(third.number))
    #expect(try await sent(like: .sample("a")).first == SentFile(name: FileName("a"), inode: 9, job: first.number))
    #expect(
      try await ledger.sentFiles(like: second, sha256: other).first
        == SentFile(name: FileName("a"), inode: 7, job: second.number))
  }

  @Test func versionsOfOneNameAreBounded() async throws {
    try await begin()
    for version in 0...SentFile.mostOfName {
      let hex = String(UInt8(version) + 16, radix: 16)
      _ = try await register(.sample("a", modified: Int64(version)), sum: String(repeating: hex, count: 32))
    }
    func isKnown(_ hex: String) async throws -> Bool {
      let sum = String(repeating: hex, count: 32)
      return try await !ledger.sentFiles(like: .sample(KeptFile.sample("a")), sha256: sum).isEmpty
    }
    #expect(try await !isKnown("10"))
    for hex in ["11", "20"] { #expect(try await isKnown(hex)) }
  }

  /// A file that a person has stopped has no bytes to be compared with. It is not sent again when its medium is back, where inodes do
  /// not last.
  @Test func stoppedFileStaysStoppedOnAnotherMount() async throws {
    try await begin()
    let job = try #require(try await admit(.sample("a", epoch: "boot 1")))
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .recovery)
    let back = KeptFile.sample("a", inode: 99, changed: 77, epoch: "boot 2")
    #expect(try await standing(back) == .known(job.number))
    #expect(try await admit(back) == nil)
    #expect(try await standing(.sample("a", modified: 9, epoch: "boot 2")) == .new, "it was written to")
    #expect(try await standing(.sample("a", inode: 99)) == .new, "another file, where inodes last")
  }

  /// Of very many files with the same bytes, the one of the same name is found, and one with the same inode.
  @Test func namesakesAreFoundAmongMany() async throws {
    try await begin()
    for index in 0..<100 { try await register(.sample("\(100 + index)", inode: UInt64(1000 + index))) }
    #expect(try await sent(like: .sample("199", inode: 1)).first?.name == FileName("199"))
    let renamed = try await sent(like: .sample("new", inode: 1098))
    #expect(renamed.first?.name == FileName("198"))
  }

  /// The old name of its spool may be another directory's by then, which has a file of that name too.
  @Test func endAfterRenameIsOnNoForeignList() async throws {
    try await begin()
    let job = try #require(try await admit(.sample("a")))
    let areConfigured: @Sendable (String) -> Bool = { ["card", "camera"].contains($0) }
    _ = try await ledger.begin(source, of: "camera", .sample) { $0 == "camera" }
    let elsewhere = KeptSource(path: "/media/other", epoch: nil, ledger: nil)
    _ = try await ledger.begin(elsewhere, of: "card", .sample, isConfigured: areConfigured)
    let foreign = try #require(try await ledger.admit([.kept(.sample("a", inode: 9))], begin: 1, in: both).first)
    _ = try await ledger.carryOut(.cancel(), on: .number(foreign.number), by: .recovery)
    #expect(try await ledger.holdName(of: job) == nil)
    // The cleanup of the other job would get its slot.
    _ = try await ledger.finish(job, .uploaded(.sample(sha256: Self.sum)), thenTakeIn: nil)
    let next = try #require(try await ledger.beginDue(upTo: 1, in: both).first)
    _ = try await ledger.finish(next, .registered(.sample), thenTakeIn: nil)
    #expect(try await Set(sent(like: .sample("a"), spool: "camera").map(\.job)) == [job.number])
    #expect(try await sent(like: .sample("a")) == [])
    #expect(try await standing(.sample("a", inode: 9)) == .known(foreign.number))
  }

  @Test func listGoesWithTheDirectory() async throws {
    let (first, second) = (
      KeptSource(path: "/p1", epoch: nil, ledger: nil), KeptSource(path: "/p2", epoch: nil, ledger: nil)
    )
    let areConfigured: @Sendable (String) -> Bool = { ["a", "b"].contains($0) }
    _ = try await ledger.begin(first, of: "a", .sample, isConfigured: areConfigured)
    _ = try await ledger.begin(second, of: "b", .sample, isConfigured: areConfigured)
    let job = try #require(try await admit(.sample("x"), spool: "a"))
    _ = try await ledger.begin(second, of: "a", .sample, isConfigured: areConfigured)
    _ = try await ledger.begin(first, of: "b", .sample, isConfigured: areConfigured)
    #expect(try await standing(.sample("x"), spool: "b") == .known(job.number))
    #expect(try await standing(.sample("x"), spool: "a") == .new)
    // The directory of b is called c now, and b is another one.
    _ = try await ledger.begin(first, of: "c", .sample) { $0 == "c" }
    _ = try await ledger.begin(KeptSource(path: "/p3", epoch: nil, ledger: nil), of: "b", .sample) {
      ["b", "c"].contains($0)
    }
    #expect(try await standing(.sample("x"), spool: "c") == .known(job.number))
    #expect(try await standing(.sample("x"), spool: "b") == .new)
    // A directory that is moved keeps the list of its spool, which no other spool takes.
    let moved = KeptSource(path: "/p4", epoch: nil, ledger: nil)
    for spool in ["c", "third"] { _ = try await ledger.begin(moved, of: spool, .sample) { _ in true } }
    #expect(try await standing(.sample("x"), spool: "c") == .known(job.number))
    #expect(try await standing(.sample("x"), spool: "third") == .new)
  }

  /// If inodes do not last, name, size and time count within one mount, and another mount has the bytes compared.
  @Test func epochCountsWhereInodesDoNotLast() async throws {
    try await begin()
    let job = try await register(.sample("a", epoch: "boot 1"))
    #expect(try await standing(.sample("a", inode: 99, changed: 77, epoch: "boot 1")) == .known(job.number))
    #expect(try await standing(.sample("a", epoch: "boot 2")) == .new)
    #expect(try await standing(.sample("a", modified: 5, epoch: "boot 1")) == .new)
  }

  @Test func lostListAsks() async throws {
    // The spool was used before, with another ledger.
    try await begin(KeptSource(path: "/media/card", epoch: nil, ledger: "another"))
    #expect(try await standing(.sample("a")) == .mayHaveBeenSent)
    let young = box.time.now.microseconds * 1000 + 1
    #expect(try await standing(.sample("b", changed: young)) == .new, "it came after the loss")
    let job = try #require(try await admit(.sample("a")))
    #expect(try await standing(.sample("a")) == .known(job.number))
    try await begin(KeptSource(path: "/media/card", epoch: nil, ledger: ledger.identity.uuid))
    #expect(try await standing(.sample("b", changed: young)) == .new, "the next start does not ask for more")
  }

  /// A card that comes after the loss may have files whose names are on the list, as those of another card. Jobs of before the loss go on.
  @Test func nameOnLostListAsksToo() async throws {
    try await begin()
    let before = try #require(try await admit(.sample("b")))
    try await ledger.writer.perform { batch in
      try batch.db.execute("UPDATE source SET generation = generation - 1")
    }
    try await begin()
    #expect(try await standing(.sample("c")) == .mayHaveBeenSent, "the ledger was replaced")
    let first = try await register(.sample("a"))
    #expect(try await standing(.sample("a")) == .known(first.number))
    let other = KeptFile.sample("a", inode: 7, modified: 8, changed: 8)
    let job = try #require(try await admit(other))
    #expect(try await ledger.mayHaveBeenSent(job))
    #expect(try await !ledger.mayHaveBeenSent(before))
    _ = try await ledger.finish(job, .failed(Failure(.file, "no"), .ask), thenTakeIn: nil)
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: .recovery)
    let young = box.time.now.microseconds * 1000 + 1
    let new = try #require(try await admit(.sample("a", inode: 7, modified: 8, changed: young)))
    #expect(try await !ledger.mayHaveBeenSent(new), "it was changed after the loss")
  }

  /// The clock of a camera may be ahead of the daemon's by its zone.
  @Test func fileOfAnotherClockAsksForADay() async throws {
    try await begin(KeptSource(path: "/media/card", epoch: "boot 1", ledger: "another"))
    let lost = box.time.now.microseconds * 1000
    let hour: Int64 = 3_600_000_000_000
    let ahead = KeptFile.sample("a", modified: lost + 14 * hour, changed: lost + 14 * hour, epoch: "boot 1")
    #expect(try await standing(ahead) == .mayHaveBeenSent)
    #expect(try await standing(.sample("b", modified: lost + 25 * hour, epoch: "boot 1")) == .new)
    #expect(try await standing(.sample("c", modified: lost + 14 * hour)) == .new)
  }

  @Test func fullListMakesRoomForWhatIsThere() async throws {
    try await begin()
    var kept = kept
    kept.options.keepFiles = 3
    for name in ["a", "b", "c"] { _ = try await register(.sample(name), sum: String(repeating: "\(name)1", count: 32)) }
    #expect(try await kept.standing(.sample("d")) == .full)
    try await ledger.forgetAbsentFiles(of: "card", .sample, most: 3)
    #expect(try await kept.standing(.sample("d")) == .full, "they were seen just now")
    box.time.pass(.seconds(40 * 86_400))
    for name in ["a", "b"] { _ = try await kept.standing(.sample(name)) }
    try await ledger.forgetAbsentFiles(of: "card", .sample, most: 3)
    #expect(try await kept.standing(.sample("d")) == .new, "c was not found for 40 days")
    #expect(try await kept.standing(.sample("a")) != .new)
    #expect(try await kept.standing(.sample("c")) == .new)
  }

  /// A spool that gets another storage, bucket or backend has sent nothing there yet, and what it has sent before is known again when it has
  /// the old ones again.
  @Test func eachWayHasItsList() async throws {
    try await begin()
    let first = try await register(.sample("a"))
    for change: (inout Route) -> Void in [{ $0.storage = "x" }, { $0.bucket = "x" }, { $0.backend = "x" }] {
      var other = Route.sample
      change(&other)
      #expect(try await standing(.sample("a"), other) == .new)
      // The note beside the spool is this ledger's: nothing was lost.
      let noted = KeptSource(path: "/media/card", epoch: nil, ledger: ledger.identity.uuid)
      _ = try await ledger.begin(noted, of: "card", other) { $0 == "card" }
      #expect(try await standing(.sample("a"), other) == .new)
      let lanes = Lanes.wide([.backend(other.backend), .storage(other.storage)])
      let second = try #require(try await ledger.admit([.kept(.sample("a"), other)], begin: 1, in: lanes).first)
      #expect(try await ledger.sentFiles(like: second, sha256: Self.sum).isEmpty)
      #expect(try await ledger.holdName(of: second) == nil)
      #expect(try await standing(.sample("a"), other) == .known(second.number))
      #expect(try await standing(.sample("a")) == .known(first.number))
      let next = try #require(
        try await ledger.finish(second, .uploaded(.sample(sha256: Self.sum)), thenTakeIn: lanes).next)
      _ = try await ledger.finish(next, .registered(.sample), thenTakeIn: nil)
      #expect(try await ledger.sentFiles(like: second, sha256: Self.sum).first?.job == second.number)
      #expect(try await sent(like: .sample("a")).first?.job == first.number)
    }
    #expect(try LedgerCheck.allFaults(in: box.directory) == [])
  }

  /// The bucket of a storage changes without a new run of its spools.
  @Test func wayWithoutListGetsOne() async throws {
    try await begin()
    try await register(.sample("a"))
    let other = Route(storage: "main", bucket: "other", backend: "main")
    let second = try #require(try await admit(.sample("a"), other))
    #expect(try await standing(.sample("a"), other) == .known(second.number))
    #expect(try await admit(.sample("a"), other) == nil)
  }
}
