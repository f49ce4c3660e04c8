import Glibc
import Jobs
import Linux

/// Calls that are no error if there is nothing to do.
extension Directory {
  /// Returns the facts of a file; nil if there is none.
  func factsIfPresent(_ name: [UInt8]) throws(FileError) -> FileFacts? {
    try ifPresent { () throws(FileError) in try facts(of: name) }
  }

  /// Removes a file; returns false if there is none.
  @discardableResult
  func removeIfPresent(_ name: [UInt8]) throws(FileError) -> Bool {
    let removal: Void? = try ifPresent { () throws(FileError) in try remove(name) }
    return removal != nil
  }

  /// Makes a directory that only the daemon may enter, unless its name is taken.
  func makeDirectoryIfMissing(_ name: [UInt8]) throws(FileError) {
    do throws(FileError) {
      try makeDirectory(name, permissions: 0o700)
    } catch {
      guard error.errno == EEXIST else { throw error }
    }
  }

  /// Removes directories below this one that are empty, beginning with the last.
  func removeEmpty(_ folders: [[UInt8]]) throws(FileError) {
    for folder in folders.reversed() {
      do throws(FileError) {
        try removeDirectory(folder)
      } catch {
        if error.errno == ENOTEMPTY || error.errno == EEXIST { return }
        guard error.errno == ENOENT else { throw error }
      }
    }
  }

  /// Returns the kind of a name in this directory; nil if it has disappeared meanwhile.
  func kind(of entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try factsIfPresent(entry.name)?.kind
  }

  /// Goes through the directories of a claim below this one (``ClaimedPath/nested(folders:name:)``). Those that are removed meanwhile are
  /// left out.
  ///
  /// - Parameters:
  ///   - top: the outermost directory.
  ///   - body: is called with each name that is not a directory's, with its directory, and with the path of that below `top`.
  /// - Returns: the directories, parents before children.
  @discardableResult
  func forEachFile(
    ofClaimIn top: [UInt8], _ body: (Directory, DirectoryListing.Entry, [UInt8]) throws(FileError) -> Void
  ) throws(FileError) -> [[UInt8]] {
    var folders = [top]
    var next = 0
    while next < folders.count {
      let folder = folders[next]
      next += 1
      let opened = try ifPresent { () throws(FileError) -> (Directory, DirectoryListing) in
        let found = try self.directory(folder)
        return (found, try found.listing())
      }
      guard let (directory, listing) = opened else { continue }
      while let entry = try listing.next() {
        if try directory.kind(of: entry) == .directory {
          folders.append(folder + [UInt8(ascii: "/")] + entry.name)
        } else {
          try body(directory, entry, Array(folder.dropFirst(top.count + 1)))
        }
      }
    }
    return folders
  }

  /// Returns the directory of what a claim has below this one, and its name there. Only the daemon changes what is below `.waybill`, so
  /// paths are as safe there as single names.
  func claimedLocation(of id: JobID, _ dropped: FileName) throws(FileError) -> (Directory, [UInt8]) {
    switch ClaimedPath(id, dropped) {
    case .flat(let name): (self, name)
    case .nested(let folders, let name): (try directory(folders[folders.count - 1]), name)
    }
  }
}
