import Jobs
import Testing

@testable import Delivery

@Suite struct DisposalRoundsTests {
  private static func job(_ number: Int64, of spool: String) -> Job {
    let time = Timestamp(year: 2026, month: 11, day: 28)
    let ticket = Ticket(
      id: JobID(high: 1, low: UInt64(number)), spool: spool, name: FileName("\(number)"), storage: "main",
      backend: "main", bucket: "b", key: "k", contentType: "x/y", metadata: [:], priority: 0, createdAt: time)
    return Job(
      number: JobNumber(rawValue: number), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5))
  }

  @Test func spoolWaitsForItsOwnWorkerAlone() {
    var memory = Disposals.Memory()
    func gather(_ job: Job) -> Bool { memory.gather(job) }
    #expect(gather(Self.job(1, of: "slow")), "the first one begins a round")
    #expect(!gather(Self.job(2, of: "slow")), "which has the second one too")
    memory.registered["slow"] = nil
    memory.underWay.insert("slow")
    #expect(!gather(Self.job(3, of: "slow")) && !memory.canBegin("slow"))
    #expect(gather(Self.job(4, of: "other")))
    _ = memory.end("slow")
    #expect(memory.canBegin("slow"), "whoever ends the worker begins the next round")
  }

  /// Memory is bounded by spool; the rescan finds the others. No job is in two hands.
  @Test func crowdIsLeftToTheRescan() {
    var memory = Disposals.Memory()
    func gather(_ job: Job) -> Bool { memory.gather(job) }
    memory.underWay.insert("slow")
    let most = Int64(Disposals.mostGathered)
    for number in 1...most + 100 { #expect(!gather(Self.job(number, of: "slow"))) }
    #expect(memory.registered["slow"]?.count == Disposals.mostGathered)
    #expect(memory.inHand.count == Disposals.mostGathered)
    #expect(gather(Self.job(most + 200, of: "other")))
    #expect(!gather(Self.job(most + 200, of: "other")) && memory.registered["other"]?.count == 1)
  }
}
