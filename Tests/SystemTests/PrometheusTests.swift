import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The metrics and the rules of alerts, as Prometheus itself sees them.
@Suite(.slot) struct PrometheusTests {
  @Test(.needs(.prometheus)) func prometheusScrapesMetricsOnlyListener() async throws {
    let check = try await Prometheus.tool("check", "rules", Products.source("etc/waybill.rules.yml"))
    #expect(check.status == 0, "\(check)")
    let address = "127.0.0.1:\(Ports.free())"
    try await withRig(
      faults: ["register": ["status": 422]],
      { $0.daemonLines.append("metrics = \"\(address)\"") },
      { rig in
        try await rig.drop("a.pdf", until: "awaiting-confirmation")
        // promtool knows what names and types should be like
        let text = try await HTTPAnswer.call("GET", "http://\(address)/metrics").body
        let lint = try await Prometheus.tool("check", "metrics", input: Data(text.utf8))
        #expect(lint.status == 0 && (lint.output + lint.errors).isEmpty, "\(lint)")
        let server = try await Prometheus.Server(scraping: address, in: rig.folder)
        try await until("a scrape") { try await server.query("up{job=\"waybill\"}") == ["1"] }
        #expect(try await server.query("sum(waybill_jobs{state=\"awaiting-confirmation\"})") == ["1"])
        try await until("the alert to be pending") {
          try await server.query("ALERTS{alertname=\"WaybillQuestionsOpen\"}") == ["1"]
        }
        for (path, status) in [("/v1/status", 404), ("/", 404), ("/metrics", 200)] {
          #expect(try await HTTPAnswer.call("GET", "http://\(address)\(path)").status == status)
        }
        #expect(try await HTTPAnswer.call("POST", "http://\(address)/metrics", body: "{}").status == 405)

        // A second daemon cannot have the same address, and says which one.
        var other = rig.setup
        other.name = "other"
        other.spoolFolder = rig.folder.appending(path: "other")
        try other.write()
        let second = Daemon(other)
        let child = try second.launch()
        #expect(try await child.end() == .exit(69))
        #expect(child.errorText.contains("daemon.metrics: \(address) cannot be listened on"))
      })
  }
}
