import Glibc
import Messages

extension ListeningSocket {
  /// Answers every waiting connection with the same bytes, and closes it, within `limit`. This is for a socket that systemd holds, when
  /// nobody will serve it: systemd would start the service again and again for a connection that is left waiting.
  public func turnAway(_ answer: [UInt8], within limit: Duration) {
    let end = ContinuousClock.now + limit
    while Self.isReadable(descriptor, until: .now) {
      let caller = accept(descriptor, nil, nil)
      if caller >= 0 {
        Self.refuse(answer, to: caller, until: end)
        close(caller)
      } else if errno != EINTR && errno != ECONNABORTED {
        return
      }
    }
  }

  private static func refuse(_ answer: [UInt8], to caller: Int32, until end: ContinuousClock.Instant) {
    // Closing with an unread request would reset the connection.
    guard isReadable(caller, until: end), reads(caller) else { return }
    let sent = unsafe answer.withUnsafeBytes { bytes in
      unsafe send(caller, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    guard sent == answer.count, shutdown(caller, Int32(SHUT_WR)) == 0 else { return }
    // If both sides were closed at once, the client would see a broken connection: let the client close first.
    while isReadable(caller, until: end), reads(caller) {}
  }

  /// Reads and drops the bytes that have arrived; returns false at the end.
  private static func reads(_ caller: Int32) -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { bytes in
      unsafe recv(caller, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT)) > 0
    }
  }

  private static func isReadable(_ descriptor: Int32, until end: ContinuousClock.Instant) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(clamping: max(.zero, end - .now).milliseconds)) == 1
  }
}
