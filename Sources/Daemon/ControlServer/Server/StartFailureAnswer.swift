import ControlAPI
import Messages
package import SystemdLink

/// Answers the callers whose connection to a systemd socket started a daemon that cannot run.
package enum StartFailureAnswer {
  /// The time for all of them together.
  private static let patience = Duration.seconds(2)

  /// Answers all callers that wait at the sockets with the reason why there is no daemon.
  package static func send(_ words: String, at sockets: [ListeningSocket]) {
    let body = ProblemDocument(.stopping, saying: .daemonDoesNotStart(why: words)).json()
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
