import Glibc
import Linux
import Seams

/// A listening Unix stream socket. Whoever takes it owns its descriptor and must close it.
public struct ListeningSocket: Hashable, Sendable {
  /// The descriptor, closed on exec.
  public var descriptor: Int32
  /// The name from the .socket unit (FileDescriptorName=), or the path of a socket that this process has bound.
  public var name: String
  /// The path of the socket; nil for an abstract or unnamed one.
  public var path: String?
  /// Notes for the operator about settings that could not be applied although the socket works.
  public var notes: [String] = []
  /// Device, inode and ctime of the socket file that this process has created (inode numbers are soon reused); empty if there is none.
  var file: [Int64] = []

  /// Removes the socket file at the end, if it is still the one that this process created.
  public func removeFile() throws(SystemdError) {
    guard let path, !file.isEmpty else { return }
    guard UnixSocket.identity(path) == file else { return }
    let result = unsafe SystemCall.unlinkat.made(at: path) { unsafe unlink(path) }
    if result != 0 && errno != ENOENT { throw SystemdError("unlink", path, code: errno) }
  }
}
