import ChildProcesses
import Foundation
import Jobs
import Messages
import Testing

@testable import Spool

/// Files that were kept are not taken away by another spool: all would be sent again.
@Suite(.slot, .bounded) struct KeptDirectoryTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private var kept: String { place.path + "/DCIM/card" }
  private var notes: String { place.root + "/state/in-place/test" }

  private func keep(_ path: String? = nil, file: String = "a.jpg") async throws {
    try FileManager.default.createDirectory(atPath: kept + "/deep/er", withIntermediateDirectories: true)
    try place.write("DCIM/card/\(file)", "photo")
    var options = try place.keeping()
    options.path = path ?? kept
    collector.hooks.list = SentList()
    try await running(SpoolDirectory(options), collector) {
      try await until("\(file) to be taken") { collector.claims.contains { $0.dropped.text == file } }
    }
  }

  private func removing(_ path: String, _ change: (inout SpoolOptions) -> Void = { _ in }) -> SpoolOptions {
    var options = SpoolOptions(name: "other", path: path)
    options.inPlaceState = place.root + "/state/in-place/other"
    change(&options)
    return options
  }

  private func expectRefusal(_ options: SpoolOptions, of path: String? = nil, line: Int = #line) {
    let comment = Comment("line \(line)")
    let first = #expect(throws: SpoolProblem.self, comment) { try SpoolDirectory(options) }
    let later = #expect(throws: SpoolProblem.self, comment) { try LockedSpool.open(options) }
    #expect(first == later && first?.cause == .kept, comment)
    #expect(first?.message == .keptUntilNow(path: path ?? kept), comment)
    #expect(first?.remedy.contains(notes) == true, comment)
  }

  @Test func linksLeadToTheSameDirectory() async throws {
    let link = place.root + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: kept)
    try await keep()
    expectRefusal(removing(kept))
    expectRefusal(removing(link))
    try FileManager.default.removeItem(atPath: notes)
    try await keep(link, file: "b.jpg")
    expectRefusal(removing(kept), of: link)
  }

  @Test func spoolAboveIsRefusedIfItTakesDirectories() async throws {
    try await keep()
    for path in [place.path, place.path + "/DCIM"] {
      _ = try SpoolDirectory(removing(path))
      expectRefusal(removing(path) { $0.recursive = true })
      expectRefusal(removing(path) { $0.group = "done" })
    }
    _ = try SpoolDirectory(removing(place.root + "/outside") { $0.recursive = true })
    // The path of one begins like that of the other.
    try FileManager.default.createDirectory(atPath: place.path + "/DC", withIntermediateDirectories: false)
    _ = try SpoolDirectory(removing(place.path + "/DC") { $0.recursive = true })
  }

  @Test func spoolBelowIsRefused() async throws {
    try await keep()
    expectRefusal(removing(kept + "/deep"))
    expectRefusal(removing(kept + "/deep/er"))
    let hidden = kept + "/.hidden"
    try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: false)
    _ = try SpoolDirectory(removing(hidden))
  }

  /// As that of a card that is taken out, with the directory on which it is mounted or without.
  @Test func directoryThatIsAwayIsInTheWayOfItsPathAlone() async throws {
    try await keep()
    let above = removing(place.path) { $0.recursive = true }
    for name in try FileManager.default.contentsOfDirectory(atPath: kept) {
      try FileManager.default.removeItem(atPath: kept + "/" + name)
    }
    _ = try SpoolDirectory(above)
    expectRefusal(removing(kept))
    try FileManager.default.removeItem(atPath: kept)
    _ = try SpoolDirectory(above)
    expectRefusal(removing(kept))
  }
}
