import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The control socket, met with what nobody should send.
@Suite(.slot)
struct ControlTests {
  @Test func malformedRequestsGetProblemDocuments() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let calls: [(String, String, String?, Int)] = [
        ("POST", "/v1/jobs/1/cancel", "{\"reason\":", 400), ("POST", "/v1/jobs/1/cancel", "[1,2]", 400),
        ("POST", "/v1/jobs/1/cancel", "{\"reason\":7}", 400), ("GET", "/v1/jobs?limit=many", nil, 400),
        ("GET", "/v1/jobs?state=bored", nil, 400), ("GET", "/v1/jobs/99", nil, 404),
        ("POST", "/v1/jobs/99/confirm", nil, 404), ("GET", "/v1/nothing", nil, 404),
        ("POST", "/v1/jobs/1/confirm", "{\"revision\":1}", 409),
      ]
      for (method, path, body, status) in calls {
        let answer = try await rig.daemon.control(method, path, body: body)
        #expect(answer.status == status, "\(method) \(path) \(body ?? "")")
        #expect(answer.contentType.hasPrefix("application/problem+json"), "\(method) \(path)")
        let problem = try answer.json
        #expect(problem.status.int == status)
        for member in ["type", "title", "detail"] { #expect(problem[member].string != nil, "\(method) \(path)") }
      }
      let job = try await rig.daemon.job(1)
      #expect(job.state == "awaiting-confirmation", "nothing was changed")
    }
  }

  @Test func halfRequestBlocksNoOther() async throws {
    try await withRig { rig in
      let python = try await Products.python.value
      var halves: [ChildProcess] = []
      defer { for half in halves { half.cut() } }
      for number in 0..<20 {
        let half = try ChildProcess(
          [python, Products.support("unix-socket.py"), "half-request", rig.setup.socket], folder: rig.folder,
          log: "half\(number)")
        halves.append(half)
      }
      for half in halves { try await half.prints("sent") }
      #expect(try await rig.daemon.control("GET", "/v1/status").status == 200)
      try await rig.drop("a.pdf", until: "registered")
      #expect(try await rig.daemon.waybill("status").status == 0)
      #expect(try await rig.daemon.stop() == .exit(0), "nor does it hold up the end")
    }
  }

  @Test func listIsAscendingAndPaged() async throws {
    try await withRig { rig in
      for number in 1...5 { try await rig.drop("\(number).pdf", until: "registered") }
      let first = try await rig.daemon.control("GET", "/v1/jobs?limit=2").json
      #expect(first.jobs.array.map(\.job) == [1, 2])
      let next = percentEncoded(try #require(first.next.string))
      let rest = try await rig.daemon.control("GET", "/v1/jobs?limit=3&after=\(next)").json
      #expect(rest.jobs.array.map(\.job) == [3, 4, 5])
      #expect(rest.next.isNull)
      let named = try await rig.daemon.control("GET", "/v1/jobs?name=4*").json
      #expect(named.jobs.array.map(\.name) == ["4.pdf"])
      #expect(try await rig.daemon.control("GET", "/v1/jobs?state=queued").json.jobs.array.isEmpty)
    }
  }
}
