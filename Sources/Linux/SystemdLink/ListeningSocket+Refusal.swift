import Glibc

extension ListeningSocket {
  /// Answers all who wait to be accepted with the same bytes, whatever they ask, and closes.
  ///
  /// For a socket that systemd holds, when nobody is to serve it: a caller who is left waiting has systemd start the service
  /// again, and again. Who has not asked and read by then is closed without a word. It blocks, for no longer than `limit`.
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
    // A question that is left unread would reset the connection.
    guard isReadable(caller, until: end), reads(caller) else { return }
    let sent = unsafe answer.withUnsafeBytes { bytes in
      unsafe send(caller, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    guard sent == answer.count, shutdown(caller, Int32(SHUT_WR)) == 0 else { return }
    // Closed on both sides at once, a connection counts as one that broke: the caller closes first.
    while isReadable(caller, until: end), reads(caller) {}
  }

  /// Reads and drops the bytes that have come; false at the end.
  private static func reads(_ caller: Int32) -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { bytes in
      unsafe recv(caller, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT)) > 0
    }
  }

  private static func isReadable(_ descriptor: Int32, until end: ContinuousClock.Instant) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let (seconds, attoseconds) = max(.zero, end - .now).components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return unsafe poll(&wanted, 1, Int32(clamping: milliseconds)) == 1
  }
}
