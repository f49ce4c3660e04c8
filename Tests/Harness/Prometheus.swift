import ChildProcesses
import Foundation
import Testing

enum Prometheus {
  static func tool(_ words: String..., input: Data? = nil) async throws -> Command {
    try await Command.run(Products.unpacked("prometheus") + ["promtool"] + words, input: input)
  }

  static func expectQueriesFind(_ names: Set<String>, rules: String, board: String) throws {
    let metric = /\b(waybill_[a-z_]+|process_[a-z_]+)/
    for file in [rules, board] {
      let asked = try String(contentsOfFile: Products.source(file), encoding: .utf8).matches(of: metric).map {
        String($0.output.1)
      }
      #expect(asked.count > 5)
      for name in Set(asked) { #expect(names.contains(name), "\(file) asks for \(name)") }
    }
    let panels = try JSONValue(parsing: String(contentsOfFile: Products.source(board), encoding: .utf8)).panels.array
    #expect(panels.count > 15 && Set(panels.compactMap(\.id.int)).count == panels.count)
  }

  /// A Prometheus that scrapes one address, on a port of its own.
  struct Server {
    let port = Ports.free()
    private let child: ChildProcess

    init(scraping target: String, in parent: URL) async throws {
      let folder = try parent.madeFolder("prometheus")
      let configuration = """
        global: { scrape_interval: 1s, evaluation_interval: 1s }
        rule_files: ["\(Products.source("etc/waybill.rules.yml"))"]
        scrape_configs:
          - job_name: waybill
            static_configs: [{ targets: ["\(target)"] }]
        """
      let config = folder.appending(path: "prometheus.yml")
      try configuration.write(to: config, atomically: true, encoding: .utf8)
      child = try ChildProcess(
        Products.unpacked("prometheus") + [
          "prometheus", "--config.file=\(config.path)", "--storage.tsdb.path=\(folder.path)/data",
          "--web.listen-address=127.0.0.1:\(port)", "--web.console.templates=\(folder.path)",
          "--web.console.libraries=\(folder.path)",
        ], folder: folder, log: "prometheus")
      try await until("prometheus to listen") { [child, port] in
        guard try child.ending() == nil else { throw Missing("prometheus ended at its start: \(child.errorText)") }
        return try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/-/ready").status == 200
      }
    }

    /// What an expression amounts to now: the values of its series.
    func query(_ expression: String) async throws -> [String] {
      let url = "http://127.0.0.1:\(port)/api/v1/query?query=" + percentEncoded(expression)
      let answer = try await HTTPAnswer.call("GET", url)
      guard answer.status == 200 else { throw Missing("prometheus does not take \(expression): \(answer.body)") }
      return try answer.json.data.result.array.compactMap { $0.value.array.last?.string }
    }
  }
}
