import Simulation
import Testing

/// What people want for a file that is not registered, and what must not be left behind.
@Suite struct WishTests {
  private static let drop = Drop(number: 1, spool: "spools/in", name: "file-1.bin", size: 200)
  private static let claim = "spools/in/.waybill/id-1~file-1.bin"
  private static let released = "released/file-1.bin"

  private static let books: Books = {
    let storage = ConfigurationPlan.Storage(name: "s", host: "s.storage.example")
    let backend = ConfigurationPlan.Backend(name: "b", host: "b.backend.example")
    let spool = SpoolPlan(name: "in", directory: "spools/in", storage: "s", backend: "b")
    let scenario = Scenario(
      seed: 1, configuration: ConfigurationPlan(storages: [storage], backends: [backend], spools: [spool]),
      servers: Servers([], epoch: 0), timeline: [Moment(at: .zero, .drop(drop))])
    var books = Books(scenario)
    books.finished(drop, drop.version, at: .seconds(1))
    return books
  }()

  private func facts(_ state: String, at paths: [String], remote: String? = nil) -> WorldFacts {
    WorldFacts(
      files: paths.map { WorldFacts.File(path: $0, sum: Self.drop.content(0).sum) },
      jobs: [
        WorldFacts.Job(
          number: 1, id: "id-1", spool: "in", name: "file-1.bin", step: "upload", state: state, remote: remote)
      ])
  }

  private static let wishes: [(Wish.Fate, String, [String], String?, Bool)] = [
    (Wish.Fate.cancelled, "cancelled", [claim], nil, true), (.cancelled, "queued", [claim], nil, false),
    (.cancelled, "cancelled", [], nil, false), (.cancelled, "cancelled", [claim], "pending", false),
    (.removed, "cancelled", [claim], "clean", true), (.removed, "cancelled", [claim], "object-left", false),
    (.discarded, "discarded", [], nil, true), (.discarded, "discarded", [claim], nil, false),
    (.released, "discarded", [released], nil, true), (.released, "discarded", [], nil, false),
    (.released, "discarded", [released, claim], nil, false),
  ]

  @Test(arguments: wishes)
  func wishIsMet(_ fate: Wish.Fate, _ state: String, _ paths: [String], _ remote: String?, isMet: Bool) {
    let facts = facts(state, at: paths, remote: remote)
    #expect(Self.books.unmet([Wish("file-1.bin", fate)], facts, Servers([], epoch: 0)).isEmpty == isMet)
  }

  @Test func unneededClaimIsLeftover() {
    func left(_ state: String, _ path: String) -> Int {
      Self.books.leftovers(facts(state, at: [path]), Servers([], epoch: 0)).count
    }
    #expect(left("cancelled", Self.claim) == 0)
    #expect(left("discarded", Self.claim) == 1)
    #expect(left("registered", Self.claim) == 1)
    #expect(left("cancelled", "spools/in/.waybill/id-2~other.bin") == 1)
    #expect(left("registered", "archives/in/.waybill-id-1") == 1)
    #expect(left("registered", "spools/in/.waybill/lock") == 0)
  }
}
