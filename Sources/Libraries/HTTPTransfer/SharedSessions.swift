import CCurl

/// The TLS sessions of all easy handles of a multi handle, so that a connection of any of them resumes what another began: a resumed
/// handshake checks no signature. By itself, libcurl keeps sessions in each easy handle.
///
/// libcurl resumes a session only for the same host and port, and for the same rules of verification: the same file or directory of
/// authorities, client certificate, TLS versions and ciphers (`Curl_ssl_getsessionid` and `Curl_ssl_config_matches` in its
/// `lib/vtls/vtls.c`). Requests with a client certificate resume none (`EasyHandle.show`). All use is on one thread, so that no lock
/// functions are needed.
@safe final class SharedSessions {
  let pointer: UnsafeMutableRawPointer
  /// The time on the shim's clock, in milliseconds, at which the first session may have begun.
  private let begin: Int64

  /// Sessions from a time on; nil if there is no memory for them.
  init?(at now: Int64) {
    guard let share = unsafe curl_share_init() else { return nil }
    unsafe pointer = share
    begin = now
    guard unsafe ccurl_share_sessions(share) == CURLSHE_OK else { return nil }
  }

  /// The easy handles hold this object, so none uses it any more.
  deinit { unsafe curl_share_cleanup(pointer) }

  /// True if the sessions are too old. A resumed session does not look at the authorities again, and a file of them that was
  /// replaced must be noticed as soon as libcurl reads it again.
  func isOver(at now: Int64) -> Bool { now - begin >= Int64(Self.time) * 1000 }

  /// The seconds for which sessions are resumed.
  static let time = EasyHandle.authoritiesTime
}
