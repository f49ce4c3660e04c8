import Glibc

/// The names of error numbers of files and connections (errno(3)).
enum ErrnoName {
  /// Returns the name, or `errno-N` for a number that is not in the list.
  static func of(_ code: Int32) -> String { names[code] ?? "errno-\(code)" }

  private static let names: [Int32: String] = [
    EACCES: "EACCES", EADDRNOTAVAIL: "EADDRNOTAVAIL", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY",
    ECONNABORTED: "ECONNABORTED", ECONNREFUSED: "ECONNREFUSED", ECONNRESET: "ECONNRESET", EDQUOT: "EDQUOT",
    EEXIST: "EEXIST", EFBIG: "EFBIG", EHOSTDOWN: "EHOSTDOWN", EHOSTUNREACH: "EHOSTUNREACH", EINTR: "EINTR",
    EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP", EMFILE: "EMFILE", ENAMETOOLONG: "ENAMETOOLONG",
    ENETDOWN: "ENETDOWN", ENETUNREACH: "ENETUNREACH", ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT",
    ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOTCONN: "ENOTCONN", ENOTDIR: "ENOTDIR", ENXIO: "ENXIO", EPERM: "EPERM",
    EPIPE: "EPIPE", EROFS: "EROFS", ESTALE: "ESTALE", ETIMEDOUT: "ETIMEDOUT", EXDEV: "EXDEV",
  ]
}
