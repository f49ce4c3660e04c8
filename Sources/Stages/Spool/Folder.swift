import Jobs

/// A directory below the spool, given by its path from the spool; the empty path is the spool itself.
struct Folder: Hashable {
  static let spool = Folder(path: [])
  /// The maximum length of a path that is searched. A key of S3 has at most 1,024 bytes, a path of Linux 4,096.
  static let longestPath = 2048

  let path: [UInt8]

  init(path: [UInt8]) { self.path = path }

  init(of name: FileName) { path = name.path }

  /// The path in readable form, `.` for the spool itself.
  var shown: String { path.isEmpty ? "." : FileName(bytes: path).shown }

  func child(_ name: [UInt8]) -> Folder { Folder(path: file(name).bytes) }

  func file(_ name: [UInt8]) -> FileName { FileName(FileName(bytes: name), in: path) }

  /// The parent directory, and the name in it; nil for the spool.
  var above: (folder: Folder, name: [UInt8])? {
    guard !path.isEmpty else { return nil }
    let name = FileName(bytes: path)
    return (Folder(path: name.path), name.last.bytes)
  }
}
