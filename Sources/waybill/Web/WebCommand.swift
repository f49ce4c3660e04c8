import ArgumentParser
import ControlAPI
import FoundationEssentials
import Glibc
import HTTPTransfer
import LinuxFiles

/// `waybill web`
struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Serves the operator's page to a browser of this machine, until it is stopped.",
    discussion: """
      The page shows what flows, what waits and what it waits for, finds jobs and their history, answers questions one by \
      one or together, and pauses and resumes. What is done there is done as you: your name stands in the journal and in \
      the jobs' history.

      It prints the page's URL. Whoever has that URL may do what you may, for as long as this runs: it listens on \
      127.0.0.1 alone, and calls carry the random token that stands in the URL.

      From another machine: waybill web --port 8700 there, then ssh -N -L 8700:127.0.0.1:8700 HOST here, with the same \
      port on both sides.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Option(help: "The port to listen on. Default: one that is free.") var port: Int?

  func validate() throws {
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("A port is 0 to 65535.") }
  }

  func run() async throws {
    let client = try connection.client()
    // If no daemon answers, or it may not be asked, that is reported here and not in the browser.
    _ = try await calling { () async throws(ControlError) in try await client.status() }
    // It ends by being stopped, so that is no failure.
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
    signal(SIGPIPE, SIG_IGN)
    let proxy: PageProxy
    do {
      proxy = PageProxy(
        socket: connection.path(ProcessInfo.processInfo.environment), transport: try Transport(maxConnections: 128))
    } catch {
      throw CommandFailure(status: .unavailable, words: error.words)
    }
    do {
      try await proxy.run(port: port ?? 0) { [token = proxy.token] port in Self.announce(port, token) }
    } catch {
      throw CommandFailure(status: ExitCode(1), words: "127.0.0.1:\(port ?? 0) cannot be listened on: \(error)")
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
