/// Why a call over the control socket gave no answer to work with.
public enum ControlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody answers at the socket, with what happened in words.
  case noDaemon(socket: String, words: String)
  /// The socket is there, but not for us.
  case notPermitted(socket: String)
  /// The daemon answered with a problem document.
  case problem(ProblemDocument)
  /// Something answered, but not as a daemon of this version does.
  case unreadable(socket: String, words: String)
  /// The caller's task was cancelled.
  case cancelled

  /// The error in words, with what the person can do about it.
  public var description: String {
    switch self {
    case .noDaemon(let socket, let words):
      "no daemon answers at \(socket): \(words). See: systemctl status \(Self.unit(of: socket))"
    case .notPermitted(let socket):
      "not permitted to use \(socket). Its group (usually waybill) may: join it, or use sudo"
    case .problem(let problem):
      problem.detail ?? problem.title
    case .unreadable(let socket, let words):
      "what answers at \(socket) cannot be understood: \(words)"
    case .cancelled:
      "cancelled"
    }
  }

  /// The unit whose daemon has that socket, by the units' own names for it.
  private static func unit(of socket: String) -> String {
    let (before, after) = ("/run/waybill-", "/control.sock")
    guard socket.hasPrefix(before), socket.hasSuffix(after) else { return "waybill" }
    return "waybill@" + socket.dropFirst(before.count).dropLast(after.count)
  }
}
