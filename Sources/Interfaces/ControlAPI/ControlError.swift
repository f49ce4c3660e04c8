import Messages

/// The reason why a call over the control socket gave no usable answer.
public enum ControlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No daemon answers at the socket; `words` say what happened.
  case noDaemon(socket: String, words: String)
  /// The socket exists, but this process may not use it.
  case notPermitted(socket: String)
  /// The daemon answered with a problem document.
  case problem(ProblemDocument)
  /// The answer is not one of a daemon of this version.
  case unreadable(socket: String, words: String)
  /// The caller's task was cancelled.
  case cancelled

  /// The error in words, with a remedy for the person.
  public var description: String {
    switch self {
    case .noDaemon(let socket, let words):
      "no daemon answers at \(socket): \(words). See systemctl status \(Self.unit(of: socket)), on a new machine waybill init"
    case .notPermitted(let socket):
      "not permitted to use \(socket). Use sudo, or join its group: sudo usermod -aG waybill USER, then log in again"
    case .problem(let problem):
      problem.detail?.text ?? problem.title
    case .unreadable(let socket, let words):
      "what answers at \(socket) cannot be understood: \(words)"
    case .cancelled:
      "cancelled"
    }
  }

  /// Returns the unit whose daemon uses a socket, by the units' default names of sockets.
  private static func unit(of socket: String) -> String {
    let (before, after) = ("/run/waybill-", "/control.sock")
    guard socket.hasPrefix(before), socket.hasSuffix(after) else { return "waybill" }
    return "waybill@" + socket.dropFirst(before.count).dropLast(after.count)
  }
}
