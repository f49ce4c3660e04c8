import CPostgres
import Glibc

extension PostgreSQLSession {
  /// Waits until the server sends a notice on a channel of `LISTEN`, another descriptor is readable, or the time is over.
  ///
  /// - Returns: true if a notice has arrived since the last call. Its content is dropped.
  /// - Throws: ``PostgreSQLError`` if the connection is lost.
  func waitForNotice(or other: Int32, milliseconds: Int32) throws(PostgreSQLError) -> Bool {
    // Notices that came with the result of a statement, or that TLS has read already, do not make the socket readable.
    if try takeNotices() { return true }
    var sources = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&sources, nfds_t(sources.count), milliseconds)
    return try takeNotices()
  }
}
