import FoundationEssentials
import Linux
import SystemPackage

/// What droppers do to files that were whole before.
extension SpoolWriter {
  /// Writes at the end of a dropped file, by its name in the spool or by the one that it keeps outside. Returns that name; nil if
  /// the file has neither any more, or if somebody has a lease on it now.
  package func append(to file: Int, size: Int, _ books: inout Books, at now: Duration) throws -> String? {
    try change(file, size: size, isAtEnd: true, &books, at: now)
  }

  /// Writes other bytes over all of a dropped file, as many as before. Returns the same.
  package func rewrite(_ file: Int, _ books: inout Books, at now: Duration) throws -> String? {
    try change(file, size: nil, isAtEnd: false, &books, at: now)
  }

  private func change(
    _ file: Int, size: Int?, isAtEnd: Bool, _ books: inout Books, at now: Duration
  ) throws -> String? {
    guard let index = books.index(of: file), let path = changeablePath(of: books.entries[index].drop),
      let old = books.entries[index].versions.last?.contents.parts.first?.content
    else { return nil }
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        FilePath(place(path)), .writeOnly, options: isAtEnd ? [.append, .nonBlocking] : .nonBlocking)
    } catch Errno.wouldBlock {
      return nil
    }
    let run = FileContent.Run(mark: (old.runs.map(\.mark).max() ?? 0) + 1, size: size ?? old.size)
    var content = isAtEnd ? old : FileContent(file: file, runs: [])
    content.runs.append(run)
    try descriptor.closeAfter { _ = try descriptor.writeAll(content.bytes(of: run)) }
    books.overwritten(file: file)
    finished(content, of: books.entries[index].drop, &books, at: now)
    return path
  }

  /// Renames another file into the place of a dropped one, whether or not it is still there. Returns that place; nil if nothing
  /// was done.
  package func replace(_ file: Int, size: Int, _ books: inout Books, at now: Duration) throws -> String? {
    guard let index = books.index(of: file), case .single = books.entries[index].drop.kind,
      let last = books.entries[index].versions.last?.contents.parts.first?.content
    else { return nil }
    let drop = books.entries[index].drop
    guard exists(drop.spool) else { return nil }
    let mark = (last.runs.map(\.mark).max() ?? 0) + 100
    let content = FileContent(file: file, runs: [.init(mark: mark, size: size)])
    let folder = "\(drop.spool)/\(drop.folder)"
    try FileManager.default.createDirectory(atPath: place(folder), withIntermediateDirectories: true)
    let hidden = ".new-" + drop.name
    let new = try FileDescriptor.open(
      FilePath(place(folder + hidden)), .writeOnly, options: [.create, .truncate],
      permissions: [.ownerReadWrite, .groupReadWrite])
    try new.closeAfter { _ = try new.writeAll(content.bytes) }
    if exists(drop.path) {
      // Other cards have other versions.
      let isOnCard = books.keeps.contains(drop.spool)
      let bytes = isOnCard ? try Data(contentsOf: URL(filePath: place(drop.path))) : Data()
      books.overwritten(file: file, sum: isOnCard ? ContentSum(Array(bytes)) : nil)
    }
    try Directory(path: place(folder)).rename(Array(hidden.utf8), replacing: Array(drop.name.utf8))
    finished(content, of: drop, &books, at: now)
    return drop.path
  }

  /// Sets the time of a dropped file to a number of seconds after the Unix epoch. Returns the name by which it was done; nil if
  /// its dropper has none any more.
  package func touch(_ file: Int, seconds: Int64, _ books: inout Books) throws -> String? {
    guard let index = books.index(of: file), let path = changeablePath(of: books.entries[index].drop) else {
      return nil
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: place(path))
    books.touched(file: file)
    return path
  }

  /// Changes the mode of a dropped file, and with it its ctime alone. Returns the name by which it was done; nil if its dropper has
  /// none any more.
  package func changeMode(_ file: Int, _ books: Books) throws -> String? {
    guard let index = books.index(of: file), let path = changeablePath(of: books.entries[index].drop) else {
      return nil
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place(path))
    return path
  }

  /// A name by which its dropper can still change a file that is in a spool or the daemon's; nil if there is none.
  private func changeablePath(of drop: Drop) -> String? {
    guard case .single = drop.kind else { return nil }
    if exists(drop.path) { return drop.path }
    let outside = "\(Drop.outside)/\(drop.name)"
    // A file that the daemon has removed, archived or given back is in no spool any more.
    guard drop.manner == .linked, let inode = inode(of: outside), exists(drop.spool),
      let names = try? FileManager.default.subpathsOfDirectory(atPath: place(drop.spool)),
      names.contains(where: { self.inode(of: "\(drop.spool)/\($0)") == inode })
    else { return nil }
    return outside
  }

  private func inode(of path: String) -> UInt64? {
    // The attributes of Foundation are numbers of one kind or another, as a program links it.
    (try? FileFacts(following: place(path)))?.inode
  }

  private func finished(_ content: FileContent, of drop: Drop, _ books: inout Books, at now: Duration) {
    books.finished(
      drop, FileVersion([FileVersion.Part(.document, sum: content.sum, content: content)]), at: now)
  }
}
