import Glibc
public import Messages

extension FileError {
  /// True if the same call may succeed later although nobody changes anything here. False for causes that last until somebody acts:
  /// permissions, a wrong kind of file, a file system without the feature.
  public var mayPass: Bool { Self.mayPass(errno) }

  /// The remedy for an error that may pass but does not; nil if there is none.
  public var remedy: Message? {
    switch errno {
    case EIO, EREMOTEIO: .seeDisk
    case ENOSPC, EDQUOT: .makeRoomThere
    case EMFILE: .serviceDescriptors
    case ENFILE: .machineDescriptors
    case ENOMEM, ENOBUFS: .tooLittleMemory
    case ENOLCK: .noMoreLocks
    case ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENOTCONN, ESHUTDOWN: .seeFileServer
    default: nil
    }
  }

  /// The error in words, with the remedy if there is one.
  public var wordsWithRemedy: String { remedy.map { "\(words); \($0)" } ?? words }

  /// The same for an error number.
  public static func mayPass(_ errno: Int32) -> Bool { passing.contains(errno) }

  /// The same for an error's symbolic name, as in ``code``.
  public static func mayPass(code: String) -> Bool { passingCodes.contains(code) }

  private static let passingCodes = Set(passing.map { ErrorNumber($0).name })

  /// The error numbers that may be temporary, on file servers too. NFS: nfs(5), and `nfs4_map_errors` of the kernel's
  /// client. CephFS: ESHUTDOWN for a client that the cluster has evicted. GFS2: EIO after a withdrawal.
  private static let passing: Set<Int32> = [
    EIO, EREMOTEIO, ESTALE, ENOLCK, EDEADLK, EINTR, EAGAIN, EBUSY, ENOSPC, EDQUOT, ENOMEM, ENOBUFS, EMFILE, ENFILE,
    ETIMEDOUT, ETIME, ENOTCONN, ESHUTDOWN, EPIPE, ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTDOWN, EHOSTUNREACH,
    ENETDOWN, ENETUNREACH, ENETRESET, EPROTO, ENXIO, ENODEV, ECANCELED, ECOMM, ENOLINK,
  ]
}
