import CSystemd
import Glibc

/// The sockets that systemd passed to this process (sd_listen_fds(3)).
public enum PassedSockets {
  /// Takes over the listening Unix stream sockets that systemd passed; empty if it passed none to this process.
  ///
  /// Call it once, and early: it removes LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES from the environment, which is not safe while
  /// other threads read it.
  /// - Throws: ``SystemdError`` with the descriptor if something else was passed.
  public static func adopt() throws(SystemdError) -> [ListeningSocket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = nil
    let count = unsafe sd_listen_fds_with_names(1, &names)
    guard count >= 0 else { throw SystemdError("sd_listen_fds", "LISTEN_FDS", code: -count) }
    defer {
      for index in 0..<Int(count) { unsafe free(names?[index]) }
      unsafe free(names)
    }
    var sockets: [ListeningSocket] = []
    for index in 0..<count {
      let descriptor = firstDescriptor + index
      let name = unsafe names?[Int(index)].map { unsafe String(cString: $0) } ?? "unknown"
      let isListening = sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0)
      guard isListening > 0 else {
        throw SystemdError(
          "sd_is_socket_unix", "\(name) (descriptor \(descriptor))", code: isListening < 0 ? -isListening : 0,
          words: "systemd passed something that is not a listening Unix stream socket. "
            + "The .socket unit should have ListenStream= with a path and Accept=no")
      }
      sockets.append(ListeningSocket(descriptor: descriptor, name: name, path: UnixSocket.path(of: descriptor)))
    }
    return sockets
  }

  /// SD_LISTEN_FDS_START: a macro with a cast, which Swift does not import.
  private static let firstDescriptor: Int32 = 3
}
