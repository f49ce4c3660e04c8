import CPostgres
import Glibc

extension PostgreSQLSession {
  /// Waits until the server tells something on a channel of `LISTEN`, another descriptor can be read, or the time is over.
  ///
  /// - Returns: true if the server told something since the last call. What it told is not kept.
  /// - Throws: ``PostgreSQLError`` if the connection is lost.
  func waitForNotice(or other: Int32, milliseconds: Int32) throws(PostgreSQLError) -> Bool {
    // what a statement's answer brought along, or TLS has read already, makes the socket readable no more
    if try takeNotices() { return true }
    var sources = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&sources, nfds_t(sources.count), milliseconds)
    return try takeNotices()
  }
}
