import Jobs
import Testing

@Suite struct DestinationTests {
  private static let forms: [(String, Destination)] = [
    ("storage.main", .storage("main")), ("backend.main", .backend("main")), ("storage.a.b", .storage("a.b")),
    ("backend.storage.main", .backend("storage.main")), ("storage..", .storage(".")), ("storage.ä", .storage("ä")),
  ]

  @Test(arguments: forms)
  func textRoundTrips(_ text: String, _ destination: Destination) throws {
    let read = try #require(Destination(text))
    #expect(read == destination && read.hashValue == destination.hashValue)
    #expect(read.kind == destination.kind && read.name == destination.name)
    #expect([read.text, destination.text, "\(read)"] == [text, text, text])
  }

  @Test(arguments: [
    "", "storage", "storage.", "main", ".main", "Storage.main", " storage.main", "storages.main", "spool.main", "all",
  ])
  func otherTextsAreNone(_ text: String) {
    #expect(Destination(text) == nil)
  }
}
