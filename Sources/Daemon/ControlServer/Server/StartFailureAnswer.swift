import ControlAPI
package import SystemdLink

/// Answers callers whose call to a socket of systemd's started a daemon that cannot run.
package enum StartFailureAnswer {
  /// The time for all of them together.
  private static let patience = Duration.seconds(2)

  /// Tells all who wait at the sockets why there is no daemon.
  package static func send(_ words: String, at sockets: [ListeningSocket]) {
    let problem = ProblemDocument(.stopping, detail: "The daemon does not start: \(words)")
    let body: [UInt8]
    do {
      body = Array(try ControlJSON.encode(problem))
    } catch {
      // Then without words: what matters is that nobody is left waiting.
      body = []
    }
    let head = """
      HTTP/1.1 503 Service Unavailable\r
      Content-Type: \(ProblemDocument.mediaType)\r
      Content-Length: \(body.count)\r
      Connection: close\r
      \r

      """
    for socket in sockets { socket.turnAway(Array(head.utf8) + body, within: patience) }
  }
}
