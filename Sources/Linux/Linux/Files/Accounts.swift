import Glibc

/// Looks up users in the system's account database.
public enum UserName {
  /// Returns a user's name, or the id in digits if there is none.
  ///
  /// The answer may come over a network (LDAP and the like), so this can block. An event loop needs a cache.
  public static func of(_ uid: UInt32) -> String {
    unsafe AccountBuffer.look { bytes, count in
      var record = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let code = unsafe getpwuid_r(uid, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe String(cString: $0.pointee.pw_name) })
    } ?? String(uid)
  }
}

/// Looks up groups in the system's account database.
public enum GroupName {
  /// Returns the name of a user's primary group, or its id in digits if it has no name; nil if there is no such user.
  public static func ofUser(_ name: String) -> String? {
    let group: UInt32? = unsafe AccountBuffer.look { bytes, count in
      var record = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let code = unsafe getpwnam_r(name, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe $0.pointee.pw_gid })
    }
    guard let group else { return nil }
    return of(group)
  }

  /// Returns a group's name, or the id in digits if there is none.
  public static func of(_ gid: UInt32) -> String {
    unsafe AccountBuffer.look { bytes, count in
      var record = unsafe Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>? = nil
      let code = unsafe getgrgid_r(gid, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe String(cString: $0.pointee.gr_name) })
    } ?? String(gid)
  }

  /// Returns a group's id; nil if there is no group of this name.
  public static func id(of name: String) -> UInt32? {
    unsafe AccountBuffer.look { bytes, count in
      var record = unsafe group()
      var found: UnsafeMutablePointer<group>? = nil
      let code = unsafe getgrnam_r(name, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe $0.pointee.gr_gid })
    }
  }
}

/// The buffer that the reentrant look-up functions need from their caller.
private enum AccountBuffer {
  /// Calls `look` with larger and larger buffers while it returns ERANGE, up to 1 MiB (for a group with many members).
  static func look<Found>(_ look: (UnsafeMutablePointer<CChar>, Int) -> (Int32, Found?)) -> Found? {
    var count = 1024
    while count <= 1 << 20 {
      let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: count)
      defer { unsafe bytes.deallocate() }
      let (code, found) = unsafe look(bytes, count)
      if code != ERANGE && code != EINTR { return found }
      if code == ERANGE { count *= 2 }
    }
    return nil
  }
}
