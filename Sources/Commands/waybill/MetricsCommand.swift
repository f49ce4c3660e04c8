import ArgumentParser
import ControlAPI
import Linux

/// `waybill metrics`
struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "The daemon's metrics, as text for Prometheus.",
    discussion: """
      The same text is at /metrics of the control socket, and of the listener that daemon.metrics in the \
      configuration sets. With the textfile collector of node_exporter, no listener is needed.
      """)

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    let client = try connection.client()
    let text = try await calling { () async throws(ControlError) in try await client.metrics() }
    do {
      try StandardOutput().write(text)
    } catch {
      throw CommandFailure(status: ExitCode(1), words: "\(error)")
    }
  }
}
