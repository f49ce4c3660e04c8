import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill-sandbox demo` as the package installs it: the script is beside the program, and the other programs are in PATH.
@Suite(.slot)
struct DemoTests {
  private let environment: [String: String?]

  init() {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    environment = ["PATIENCE": "180", "PATH": "\(Products.folder.path):\(path)"]
  }

  private func words(_ folder: TemporaryFolder, _ more: String...) throws -> [String] {
    let sandbox = try folder.folder("bin").appending(path: "waybill-sandbox")
    let script = try folder.folder("share/waybill-sandbox").appending(path: "demo")
    if !FileManager.default.fileExists(atPath: sandbox.path) {
      try FileManager.default.copyItem(atPath: Products.sandbox, toPath: sandbox.path)
      try FileManager.default.copyItem(atPath: Products.source("share/waybill-demo"), toPath: script.path)
    }
    return [sandbox.path, "demo", "--folder", folder.file("demo")] + more
  }

  /// A folder of somebody's is no place for it.
  @Test func demoLeavesForeignFolder() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("demo/mine.txt", "mine")
    let demo = try await Command.run(words(folder, "--once"), environment: environment)
    #expect(demo.status == 1 && demo.errors.contains("was not made by a demo"), "\(demo)")
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func demoWaitsForPersonAndEndsByThem() async throws {
    let folder = try TemporaryFolder()
    let demo = try ChildProcess(words(folder), environment: environment, folder: folder.url, log: "demo")
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
    demo.signal(SIGINT)
    #expect(try await demo.end() == .exit(128 + SIGINT))
    #expect(try await Command.run(waybill + ["status"]).status == 69, "the daemon has ended too")
  }
}
