import ChildProcesses
import Jobs
import Testing

@testable import Ledger

/// A reader of the list learns of every job that changed, whatever was forgotten meanwhile.
struct ChangeListTests {
  private static func jobs(_ numbers: Int64...) -> [JobNumber] { numbers.map { JobNumber(rawValue: $0) } }

  @Test func pageStopsBeforeJobOverLimit() throws {
    var list = ChangeList(limit: 100)
    list.append(Self.jobs(1, 2, 1, 3, 1))
    let first = try #require(list.page(from: 0, limit: 2))
    #expect(first.jobs == Self.jobs(2, 3), "each once, where it changed last")
    #expect(first.end == 4)
    let second = try #require(list.page(from: first.end, limit: 2))
    #expect(second.jobs == Self.jobs(1))
    #expect(second.end == list.end)
  }

  @Test func positionsOutOfRangeAreUnknown() {
    var list = ChangeList(limit: 10)
    list.append((1...30).map { JobNumber(rawValue: $0) })
    #expect(list.start == 20)
    #expect(list.page(from: 19, limit: 100) == nil)
    #expect(list.page(from: 20, limit: 100)?.jobs.count == 10)
    #expect(list.page(from: list.end + 1, limit: 100) == nil)
  }

  /// A reader that reads at random times, in pages, either learns of all jobs that changed since, or that it has to read all.
  @Test(arguments: Seeds.many(0..<20)) func noChangeIsMissed(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var list = ChangeList(limit: 8)
    var place = 0
    var owed: Set<JobNumber> = []
    for _ in 0..<200 {
      let changed = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        JobNumber(rawValue: Int64.random(in: 1...12, using: &random))
      }
      list.append(changed)
      owed.formUnion(changed)
      guard Bool.random(using: &random) else { continue }
      guard let page = list.page(from: place, limit: Int.random(in: 1...5, using: &random)) else {
        (place, owed) = (list.end, [])
        continue
      }
      #expect(page.end > place || place == list.end)
      owed.subtract(page.jobs)
      place = page.end
      // what is not read yet is told by the rest
      var rest: Set<JobNumber> = []
      var next = place
      while next < list.end, let page = list.page(from: next, limit: 3) {
        rest.formUnion(page.jobs)
        next = page.end
      }
      #expect(owed.isSubset(of: rest))
    }
  }
}
