import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The demo (`share/waybill-demo`), which `make try` and `waybill-sandbox demo` run.
@Suite(.slot)
struct DemoTests {
  private func words(_ folder: TemporaryFolder, _ more: String...) -> [String] {
    [Products.source("share/waybill-demo"), "--programs", Products.folder.path, "--folder", folder.file("demo")] + more
  }

  @Test func demoGoesThroughOnce() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    // The second one begins anew.
    for _ in 0..<2 {
      let demo = try await Command.run(words(folder, "--once"), environment: ["PATIENCE": "180"])
      #expect(demo.status == 0 && demo.output.contains("All of it worked."), "\(demo)")
    }
  }

  /// A folder of somebody's is no place for it.
  @Test func demoLeavesForeignFolder() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = try folder.write("demo/mine.txt", "mine")
    let demo = try await Command.run(words(folder, "--once"))
    #expect(demo.status == 1 && demo.errors.contains("was not made by a demo"), "\(demo)")
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func demoWaitsForPersonAndEndsByThem(signal: Int32) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let demo = try ChildProcess(words(folder), environment: ["PATIENCE": "180"], folder: folder.url, log: "demo")
    defer { demo.cut() }
    let said = try await demo.prints("Ctrl-C ends it all.")
    #expect(said.contains("waybill confirm 5"), "\(said)")
    // What is told to a person works: the question is answered, and another file comes.
    let socket = try #require(said.firstMatch(of: /WAYBILL_SOCKET='([^']+)'/)?.1)
    let waybill = [Products.command, "--socket", String(socket)]
    #expect(try await Command.run(waybill + ["confirm", "5"]).status == 0)
    try await until("5 files to be registered") {
      let list = try await Command.run(waybill + ["list", "--state", "registered", "--json"])
      return list.output.contains("invoice.txt")
    }
    // A child of a test ignores no signal, but a shell without a terminal may ignore SIGINT for what it starts.
    demo.signal(signal)
    #expect(try await demo.end() == .exit(128 + signal))
    #expect(try await Command.run(waybill + ["status"]).status == 69, "the daemon has ended too")
  }
}
