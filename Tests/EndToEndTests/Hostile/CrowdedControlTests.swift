import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Those who may speak to the control socket and do it as nobody should, to the real daemon: files go on, memory and
/// descriptors stay within bounds, and once they have gone everybody is served.
@Suite(.slot, .bounded)
struct CrowdedControlTests {
  /// What each of the crowd would need a part of is the memory of the daemon many times over.
  private static let memoryLimit = (600 << 20) * Sanitizer.memoryFactor
  /// The connections that are served are 128, and as many are told why not or just being closed. Two thirds of the crowd are
  /// far more.
  private static let descriptorLimit = 1000

  private func withCrowd(_ count: Int, _ way: String, _ rig: Rig, _ body: () async throws -> Void) async throws {
    let child = try ChildProcess(
      [
        try await Products.python.value, Products.support("unix-socket.py"), "crowd", rig.setup.socket, String(count),
        way,
      ], input: .written, folder: rig.folder, log: "crowd")
    try await child.prints("here")
    try await body()
  }

  /// One way of three; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
  @Test(arguments: Seeds.share(["silent", "half", "headers", "body", "pipelined", "deaf"], of: 3))
  func crowdDelaysNoFile(_ way: String) async throws {
    try await withRig { rig in
      try await rig.drop("before.pdf", until: "registered")
      let pid = try rig.daemon.pid
      try await withCrowd(1500, way, rig) {
        for number in 1...20 { try rig.drop("\(number).pdf") }
        var most = 0
        try await until("all to be registered although nobody can ask", every: .milliseconds(20)) {
          // A process that leaves no core file shows its descriptors to root alone.
          if geteuid() == 0 { most = max(most, try ProcessFacts.descriptors(of: pid)) }
          return try rig.sandbox.registrations().count == 21
        }
        #expect(most < Self.descriptorLimit)
      }
      #expect(try ProcessFacts.bytes("VmHWM", of: pid) < Self.memoryLimit)
      try await until("the socket to answer") {
        let answer = try await rig.daemon.control("GET", "/v1/status")
        return answer.status == 200 ? answer : nil
      }
      // The backend knows of a registration before the ledger does.
      try await until("the ledger to have all") { try await rig.daemon.count("registered") == 21 }
      #expect(try rig.daemon.pid == pid)
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }

  /// Requests that no client sends. Each is answered with a problem, or its connection closed, and the job stays as it is.
  @Test func strangeRequestsChangeNothing() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let deep = String(repeating: "[", count: 60_000)
      let long = String(repeating: "a", count: 60_000)
      let calls: [(method: String, path: String, body: String?, statuses: [Int])] = [
        ("POST", "/v1/jobs/1/../../jobs/1/cancel", nil, [404]), ("POST", "/v1/jobs/../jobs/1/cancel", nil, [404]),
        ("POST", "/v1/jobs//1/cancel", nil, [404]), ("POST", "/v1/jobs/1//cancel", nil, [404]),
        ("POST", "//v1/jobs/1/cancel", nil, [404]), ("POST", "/v1/jobs/%31/cancel", nil, [404]),
        ("POST", "/v1/jobs/1%2Fcancel", nil, [404]), ("POST", "/v1/jobs/1/cancel%00", nil, [404]),
        ("POST", "/v1/jobs/1/cancel;x", nil, [404]), ("POST", "/v1/jobs/%2e%2e/%2e%2e/etc/passwd", nil, [404]),
        ("GET", "/v1/jobs/..%2f..%2fetc%2fpasswd", nil, [404]), ("GET", "/../../etc/passwd", nil, [404]),
        ("GET", "/v1/jobs/\(long.prefix(10_000))", nil, [404, 414, 400]),
        ("GET", "/\(long)", nil, [404, 414, 400, 431, 0]),
        ("TRACE", "/v1/status", nil, [405]), ("CONNECT", "/v1/status", nil, [405, 400, 404, 0]),
        ("FROBNICATE", "/v1/jobs/1/cancel", nil, [405, 400, 0]), ("OPTIONS", "*", nil, [404, 405, 400]),
        ("POST", "/v1/jobs/1/cancel", deep, [400]),
        ("POST", "/v1/jobs/1/cancel", String(repeating: "{\"a\":", count: 10_000), [400]),
        ("POST", "/v1/jobs/1/cancel", "{\"reason\":\"\(long)", [400]),
        ("POST", "/v1/jobs/1/cancel", "{\"reason\":\"\(long)\"}", [400]),
        ("POST", "/v1/jobs/1/cancel", #"{"remove":1e999}"#, [400]),
        ("POST", "/v1/jobs/1/cancel", #"{"revision":1e999}"#, [400]),
        ("POST", "/v1/jobs/1/cancel", #"{"revision":9223372036854775808}"#, [400]),
        ("POST", "/v1/jobs/1/cancel", #"{"reason":"\ud800"}"#, [400]),
        ("POST", "/v1/jobs/1/cancel", #"{"revision":-1}"#, [400]),
        ("POST", "/v1/jobs/cancel", #"{"jobs":[-1,0,99999999999]}"#, [400]),
        ("POST", "/v1/jobs/cancel", #"{"jobs":["../1"]}"#, [400]), ("POST", "/v1/jobs/cancel", "null", [400]),
        ("POST", "/v1/jobs/1/confirm", #"{"link":"file:\u0000"}"#, [400]),
        ("POST", "/v1/jobs/1/release", #"{"to":"/tmp"}"#, [409]),
        ("POST", "/v1/jobs/1/release", #"{"to":"tmp"}"#, [400]),
        ("POST", "/v1/jobs/1/discard", nil, [409]),
      ]
      for call in calls {
        let answer = try await HTTPAnswer.call(
          call.method, "http://localhost" + (call.path == "*" ? "/" : call.path), body: call.body,
          options: ["--path-as-is", "--unix-socket", rig.setup.socket]
            + (call.path == "*" ? ["--request-target", "*"] : []))
        let shown = "\(call.method) \(call.path.prefix(60)) \(call.body?.prefix(60) ?? "")"
        #expect(call.statuses.contains(answer.status), "\(shown): \(answer.status) \(answer.body.prefix(200))")
        #expect(!answer.body.contains("root:"), "\(shown)")
        RawText.expectNone(answer.body, shown)
      }
      let now = try await rig.daemon.job(1)
      #expect(now == job, "\(now)")
    }
  }
}
