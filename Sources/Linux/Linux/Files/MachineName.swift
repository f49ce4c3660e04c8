import Glibc

/// The name of this machine with its domain.
public enum MachineName {
  /// Returns the canonical name of a host; nil if the system knows none (getaddrinfo(3), AI_CANONNAME). It may ask a name server,
  /// and block for a long time.
  public static func full(of name: String) -> String? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_CANONNAME
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>? = nil
    // The list belongs to the system until it is freed, so the name is copied.
    guard unsafe getaddrinfo(name, nil, &hints, &found) == 0, let first = unsafe found else { return nil }
    defer { unsafe freeaddrinfo(first) }
    return unsafe first.pointee.ai_canonname.map { unsafe String(cString: $0) }
  }
}
