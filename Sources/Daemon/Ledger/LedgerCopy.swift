import Linux
import SQLite

/// A complete, consistent copy of a ledger in one file, made while the ledger may be in use.
enum LedgerCopy {
  /// Writes the copy under a temporary name, makes it durable, and gives it its name: it is there completely or not at all.
  ///
  /// It uses VACUUM INTO. However long that takes, it reads one state of the ledger, and it leaves no log of writes
  /// beside the copy.
  /// - Throws: `FileError`, EEXIST if the name is taken; or SQLite's error.
  static func make(of path: String, in directory: Directory, as name: String) throws {
    let temporary = Array(".\(name).\(UInt64.random(in: .min ... .max))".utf8)
    let place = "\(directory.path)/\(String(decoding: temporary, as: UTF8.self))"
    let file = try directory.create(temporary, permissions: 0o600)
    do {
      let db = try Database(path: path, .reading)
      // made durable below, once
      try db.execute("PRAGMA synchronous = OFF")
      try db.execute("VACUUM INTO ?", [place])
      db.close()
      try markAsCopy(place)
      try file.sync(.backupFile, path: place)
      try directory.rename(temporary, into: directory, as: Array(name.utf8))
      try directory.sync(.backupEntry)
    } catch {
      try directory.removeIfThere(temporary)
      throw error
    }
  }

  /// Marks the copy as one, so that a daemon that uses it as its ledger learns that answers may be lost.
  private static func markAsCopy(_ path: String) throws {
    let db = try Database(path: path)
    // made durable by the caller
    try db.execute("PRAGMA synchronous = OFF")
    try LedgerOpening.Mark.set(.mayHaveForgotten, in: db)
    db.close()
  }
}

extension Directory {
  /// Removes a name; does nothing if it is not there.
  func removeIfThere(_ name: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try remove(name)
    } catch {
      guard error.code == "ENOENT" else { throw error }
    }
  }
}
