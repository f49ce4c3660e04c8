import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import HTTPTransfer
import Linux

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Serve the operator page to a browser on this machine.",
    discussion: """
      The page shows the activity, jobs and their history, answers questions singly or together, and pauses and \
      resumes. Your actions are recorded under your name.

      The command prints a URL with a random token. Anyone who has the URL can act as you while the command runs. It \
      listens on 127.0.0.1 only. To use the page from another machine, run waybill web --port 8700 there and ssh -N \
      -L 8700:127.0.0.1:8700 HOST here, with the same port.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: "The port to listen on. Default: a free one.") var port: Int?

  func validate() throws {
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("A port is 0 to 65535.") }
  }

  func run() async throws {
    let client = try connection.client()
    // If no daemon answers, or it may not be asked, that is reported here and not in the browser.
    _ = try await client.status()
    LogCommand.endQuietlyOnSignals()
    let proxy = PageProxy(
      socket: connection.path(ProcessInfo.processInfo.environment), transport: try Transport(maxConnections: 128))
    do {
      try await proxy.run(port: port ?? 0) { [token = proxy.token] port in Self.announce(port, token) }
    } catch {
      let words = "cannot listen on 127.0.0.1:\(port ?? 0): another program may; choose another --port (\(error))"
      throw CommandFailure(words: words)
    }
  }

  private static func announce(_ port: Int, _ token: PageToken) {
    do {
      // After the #, so that the token is not sent with the request for the page, nor kept in a log of requested pages.
      try StandardOutput().write("http://127.0.0.1:\(port)/#\(token.text)\n")
    } catch {
      Output.error("the URL could not be written: \(error)")
    }
    Output.error("open this in a browser of this machine; Ctrl-C ends it")
  }
}
