import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The control API is what its description says: a public tool makes requests from the description, valid and invalid, and checks each
/// answer of a real daemon against it.
@Suite(.slot) struct APIConformanceTests {
  static func expectConformance(of socket: String, in folder: URL) async throws {
    let program = [
      Products.source(".build-test/api-venv/bin/python"), Products.source("Tests/Support/api-conformance.py"),
      Products.source("share/waybill-api.yaml"),
    ]
    let (examples, seed) = ("15", "20261126")
    let check = try await Command.run(program + [socket, folder.appending(path: "api").path, examples, seed])
    #expect(check.status == 0, "\(check.output.prefix(60_000))\(check.errors)")
  }

  @Test(.needs(.schemathesis)) func daemonConformsToDescription() async throws {
    let refused: JSONValue = ["upload": ["status": 400, "code": "KeyTooLongError", "times": 6]]
    try await withRig(faults: refused) { rig in
      // jobs in many states, with history, questions, receipts and files
      for number in 1...6 { try await rig.drop("q\(number).pdf", until: "awaiting-confirmation") }
      #expect(try await rig.daemon.waybill("cancel", "1", "2").status == 0)
      for number in 1...3 { try await rig.drop("r\(number).pdf", until: "registered") }
      try await Self.expectConformance(of: rig.daemon.socket, in: rig.folder)
      #expect(try await rig.daemon.status().version.isNull == false, "it is still there")
      // what the requests did is in the log, by the user that the kernel reports
      let log = try await rig.daemon.control("GET", "/v1/log?by=*&limit=1000").json
      #expect(log.events.array.count > 2)
    }
  }
}
