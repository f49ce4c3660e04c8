import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The daemon in numbers: as text, as Prometheus takes it, and as rules and dashboard ask for it.
@Suite(.slot)
struct MetricsTests {
  private typealias Values = [String: String]

  private static func values(_ text: String) -> Values {
    Dictionary(
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let space = line.lastIndex(of: " ") ?? line.endIndex
        return (String(line[..<space]), String(line[space...].dropFirst()))
      }, uniquingKeysWith: { first, second in "\(first) and \(second)" })
  }

  private func metrics(_ rig: Rig) async throws -> Values {
    let answer = try await rig.daemon.control("GET", "/metrics")
    #expect(answer.status == 200 && answer.contentType == "text/plain; version=0.0.4; charset=utf-8")
    return Self.values(answer.body)
  }

  @Test func countsOutcomes() async throws {
    try await withRig({ $0.delays = ["100ms"] }) { rig in
      for number in 1...5 { try rig.drop("\(number).pdf", Data(repeating: 1, count: 1000)) }
      try await until("5 registered") { try await rig.daemon.count("registered") == 5 }
      try await rig.sandbox.fail(["register": ["status": 500]])
      try await rig.drop("asks.pdf", until: "awaiting-confirmation")
      try await rig.sandbox.fail(["upload": ["status": 503]])
      try await rig.drop("aborts.pdf", until: "aborted")

      let values = try await until("the last commit to be counted") {
        let values = try await metrics(rig)
        let isCounted =
          values[#"waybill_attempts_total{step="upload",outcome="failed"}"#] == "1"
          && values[#"waybill_gate_closed{destination="storage.main"}"#] == "1"
        return isCounted ? values : nil
      }
      #expect(values[#"waybill_jobs{step="register",state="registered"}"#] == "5")
      #expect(values[#"waybill_jobs{step="register",state="awaiting-confirmation"}"#] == "1")
      #expect(values[#"waybill_jobs{step="upload",state="aborted"}"#] == "1")
      #expect(values[#"waybill_jobs{step="upload",state="queued"}"#] == "0")
      #expect(values[#"waybill_job_events_total{event="admitted"}"#] == "7")
      #expect(values[#"waybill_job_events_total{event="uploaded"}"#] == "6")
      #expect(values[#"waybill_job_events_total{event="deferred"}"#] == "1")
      #expect(values[#"waybill_job_events_total{event="question"}"#] == "1")
      #expect(values[#"waybill_attempts_total{step="upload",outcome="succeeded"}"#] == "6")
      #expect(values[#"waybill_attempts_total{step="upload",outcome="failed"}"#] == "1")
      #expect(values[#"waybill_attempts_total{step="register",outcome="failed"}"#] == "2")
      #expect(values[#"waybill_attempt_failures_total{step="register",kind="transient"}"#] == "2")
      #expect(values[#"waybill_attempt_failures_total{step="upload",kind="unavailable"}"#] == "1")
      #expect(values["waybill_uploaded_bytes_total"] == String(5 * 1000 + "some bytes\n".utf8.count))
      #expect(values["waybill_upload_duration_seconds_count"] == "7")
      #expect(values["waybill_registration_duration_seconds_count"] == "7")
      #expect(values["waybill_drop_to_registered_seconds_count"] == "5")
      #expect(values[#"waybill_drop_to_registered_seconds_bucket{le="259200"}"#] == "5")
      #expect(values[#"waybill_backlog_bytes{step="register"}"#] == String("some bytes\n".utf8.count))
      #expect(values[#"waybill_backlog_bytes{step="upload"}"#] == "0")
      let age = try #require(values[#"waybill_backlog_oldest_age_seconds{spool="documents"}"#].flatMap(Double.init))
      #expect(age > 0)
      #expect(values[#"waybill_gate_closed{destination="storage.main"}"#] == "1")
      #expect(values[#"waybill_gate_closed{destination="backend.main"}"#] == "0")
      #expect(values[#"waybill_gate_closures_total{destination="storage.main",reason="unavailable"}"#] == "1")
      try Promised.expect("metrics", is: Self.families(try await rig.daemon.control("GET", "/metrics").body))
    }
  }

  /// Each metric with its type and the names of its labels, as version 1 promises them.
  private static func families(_ text: String) -> [String] {
    text.split(separator: "\n# TYPE ").dropFirst().map { family in
      let labels = Set(family.matches(of: /[{,]([a-z_]+)="/).map { String($0.1) }).subtracting(["le"])
      return ([String(family.prefix { $0 != "\n" })] + labels.sorted()).joined(separator: " ")
    }
  }

  /// The metrics that the rules and the dashboard ask for are those that are promised.
  @Test func rulesAndDashboardMetricsExist() throws {
    var names: Set<String> = ["up"]
    for words in try Promised.lines("metrics").map({ $0.split(separator: " ") }) {
      let name = String(words[0])
      names.formUnion(words[1] == "histogram" ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name])
    }
    try Prometheus.expectQueriesFind(names, rules: "etc/waybill.rules.yml", board: "etc/waybill-grafana.json")
  }
}
