import Glibc
import Linux

/// A Unix stream socket that listens. Its descriptor belongs to whoever takes it, and has to be closed by them.
public struct ListeningSocket: Hashable, Sendable {
  /// The descriptor, closed on exec.
  public var descriptor: Int32
  /// The name that the .socket unit gave (FileDescriptorName=), or the path of one that we bound.
  public var name: String
  /// The path of the socket; nil for an abstract or unnamed one.
  public var path: String?
  /// Words for the operator about settings that could not be applied, though the socket works.
  public var notes: [String] = []
  /// The socket file that we made: device, inode and the time of its last change (inode numbers are soon used again).
  var file: [Int64] = []

  /// Removes the socket file at the end, if it is still the one that we made. One passed by systemd is left alone.
  public func removeFile() throws(SystemdError) {
    guard let path, !file.isEmpty else { return }
    guard UnixSocket.identity(path) == file else { return }
    let result = unsafe SystemCall.unlinkat.made(at: path) { unsafe unlink(path) }
    if result != 0 && errno != ENOENT { throw SystemdError("unlink", path, code: errno) }
  }
}
