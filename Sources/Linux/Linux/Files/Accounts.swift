import Glibc

/// Names of users in the system's account database.
public enum UserName {
  /// A user's name, or the id in digits where there is none.
  ///
  /// The answer may come over a network (LDAP and the like), so it can block: not for an event loop without a cache.
  public static func of(_ uid: UInt32) -> String {
    unsafe AccountBuffer.look { bytes, count in
      var record = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let code = unsafe getpwuid_r(uid, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe String(cString: $0.pointee.pw_name) })
    } ?? String(uid)
  }
}

/// Names of groups in the system's account database.
public enum GroupName {
  /// The name of a user's own group, or its id in digits where it has none; nil if there is no such user.
  public static func ofUser(_ name: String) -> String? {
    let group: UInt32? = unsafe AccountBuffer.look { bytes, count in
      var record = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>? = nil
      let code = unsafe getpwnam_r(name, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe $0.pointee.pw_gid })
    }
    guard let group else { return nil }
    return unsafe AccountBuffer.look { bytes, count in
      var record = unsafe Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>? = nil
      let code = unsafe getgrgid_r(group, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe String(cString: $0.pointee.gr_name) })
    } ?? String(group)
  }

  /// A group's id, or nil where there is none of this name.
  public static func id(of name: String) -> UInt32? {
    unsafe AccountBuffer.look { bytes, count in
      var record = unsafe group()
      var found: UnsafeMutablePointer<group>? = nil
      let code = unsafe getgrnam_r(name, &record, bytes, count, &found)
      return (code, unsafe found.map { unsafe $0.pointee.gr_gid })
    }
  }
}

/// The room that the reentrant look-ups ask their caller for.
private enum AccountBuffer {
  /// Calls `look` with more and more room for as long as it says ERANGE, up to 1 MiB (a group of many members).
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
