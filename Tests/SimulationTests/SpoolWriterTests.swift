import ChildProcesses
import Foundation
import Seams
import Simulation
import Testing

@Suite struct SpoolWriterTests {
  private struct World {
    let folder: TemporaryFolder
    var writer: SpoolWriter
    var books: Books

    init() throws {
      folder = try TemporaryFolder()
      let spool = SpoolPlan(name: "in", directory: "spools/in", storage: "s0", backend: "b0", archives: true)
      let scenario = Scenario(
        seed: 1,
        configuration: ConfigurationPlan(
          storages: [.init(name: "s0", host: "s0")], backends: [.init(name: "b0", host: "b0")], spools: [spool]),
        servers: Servers([], epoch: 0))
      writer = SpoolWriter(root: folder.path)
      books = Books(scenario)
      try writer.makeWorld(of: scenario)
    }

    mutating func perform(_ steps: [TimedStep]) throws {
      for step in steps { try writer.perform(step.step, &books, at: step.after) }
    }

    var violations: [String] {
      get throws { books.violations(try WorldFacts(root: folder.path), Servers([], epoch: 0)) }
    }

    func bytes(_ path: String) throws -> [UInt8] {
      Array(try Data(contentsOf: folder.url.appending(path: path)))
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(at: folder.url.appending(path: path)) }
  }

  @Test func appendMakesNewVersion() throws {
    var world = try World()
    let drop = Drop(number: 1, spool: "spools/in", name: "f", manner: .linked, size: 100)
    try world.perform(drop.steps)
    #expect(try world.writer.append(to: 1, size: 50, &world.books, at: .seconds(1)) == "spools/in/f")
    #expect(try world.bytes("spools/in/f").count == 150)
    #expect(try world.violations == [])
    #expect(world.books.entries[0].versions.map(\.mayBeGone) == [true, false])
    // The daemon has it under another name.
    try FileManager.default.moveItem(
      at: world.folder.url.appending(path: "spools/in/f"), to: world.folder.url.appending(path: "spools/in/claimed"))
    #expect(try world.writer.append(to: 1, size: 50, &world.books, at: .seconds(1)) == "outside/f")
    #expect(try world.bytes("spools/in/claimed").count == 200)
    // It has a name of its dropper's left, and is nobody else's.
    try world.remove("spools/in/claimed")
    #expect(try world.writer.append(to: 1, size: 50, &world.books, at: .seconds(2)) == nil)
    #expect(try world.violations.count == 1)
  }

  @Test func rewriteKeepsSizeChangesBytes() throws {
    var world = try World()
    try world.perform(Drop(number: 1, spool: "spools/in", name: "f", manner: .linked, size: 100).steps)
    let before = try world.bytes("spools/in/f")
    #expect(try world.writer.rewrite(1, &world.books, at: .seconds(1)) == "spools/in/f")
    let after = try world.bytes("spools/in/f")
    #expect(after != before && after.count == before.count)
    #expect(world.books.entries[0].versions.map(\.mayBeGone) == [true, false])
    #expect(try world.violations == [])
  }

  @Test func replacedFileMayVanishUnlessClaimed() throws {
    var world = try World()
    try world.perform(Drop(number: 1, spool: "spools/in", name: "f", size: 100).steps)
    try world.writer.replace(1, size: 60, &world.books, at: .seconds(1))
    #expect(try world.bytes("spools/in/f").count == 60)
    #expect(try world.violations == [])
    try world.remove("spools/in/f")
    try world.writer.replace(1, size: 70, &world.books, at: .seconds(2))
    // The second one was taken by somebody, and is nowhere.
    #expect(try world.violations.count == 1)
  }

  @Test func touchedFileMayCountTwice() throws {
    var world = try World()
    try world.perform(Drop(number: 1, spool: "spools/in", name: "f", size: 100).steps)
    try world.writer.changeMode(1, world.books)
    #expect(world.books.entries[0].versions[0].mayRepeat == false)
    try world.writer.touch(1, seconds: 1000, &world.books)
    #expect(world.books.entries[0].versions[0].mayRepeat)
    let path = world.folder.file("spools/in/f")
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    #expect(date?.timeIntervalSince1970 == 1000)
  }
}
