import Glibc
package import Jobs
import Linux
import Seams

/// The place of a claimed file in `.waybill`: `ID~NAME`, or `ID/PATH/NAME` if there is a path to keep or `ID~NAME` is too long.
package struct ClaimedPath: Equatable {
  /// The directories of the claim, from `ID` down, each by its path; empty for `ID~NAME`.
  package let folders: [[UInt8]]
  /// The path below `.waybill`.
  package let path: [UInt8]

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255
  private static let idLength = 36
  private static let slash = UInt8(ascii: "/")

  package init(_ id: JobID, _ dropped: FileName) {
    let digits = id.ascii
    if Self.isFlat(dropped) {
      (folders, path) = ([], digits + [UInt8(ascii: "~")] + dropped.bytes)
      return
    }
    var path = digits
    var folders = [path]
    for component in dropped.path.split(separator: Self.slash) {
      path += [Self.slash] + component
      folders.append(path)
    }
    self.folders = folders
    self.path = path + [Self.slash] + dropped.last.bytes
  }

  static func folders(_ id: JobID, _ dropped: FileName) -> [[UInt8]] {
    isFlat(dropped) ? [] : ClaimedPath(id, dropped).folders
  }

  private static func isFlat(_ dropped: FileName) -> Bool {
    idLength + 1 + dropped.bytes.count <= longestName && !dropped.bytes.contains(slash)
  }

  /// Reads `ID~NAME`; returns nil for a name that no claim makes.
  package static func parse(_ flat: [UInt8]) -> (id: JobID, name: FileName)? {
    guard flat.count > idLength + 1, flat[idLength] == UInt8(ascii: "~"), let id = id(flat[..<idLength]) else {
      return nil
    }
    return (id, FileName(bytes: Array(flat[(idLength + 1)...])))
  }

  /// Reads an id as claims write it: in lower case, because only that form finds the file again.
  static func id(_ bytes: some Sequence<UInt8>) -> JobID? {
    guard let text = String(validating: Array(bytes), as: UTF8.self), let id = JobID(text), id.description == text
    else { return nil }
    return id
  }

  /// Returns the id of the claim that has a name in `.waybill`, or what is below it; nil if no claim makes that name.
  static func id(ofTop name: [UInt8]) -> JobID? { parse(name)?.id ?? id(name) }
}

typealias ClaimPlace = (directory: Directory, name: [UInt8])

/// The claims below a directory that only the daemon changes, so that paths are as safe as single names.
extension Directory {
  /// Returns the place of a claim. Throws ENOENT if its directories are missing.
  func place(of id: JobID, _ dropped: FileName) throws(FileError) -> ClaimPlace {
    let claimed = ClaimedPath(id, dropped)
    guard let folder = claimed.folders.last else { return (self, claimed.path) }
    return (try directory(folder), dropped.last.bytes)
  }

  /// Returns the place of a file that is about to be claimed; creates the missing directories.
  func makePlace(of id: JobID, _ dropped: FileName) throws(FileError) -> ClaimPlace {
    for folder in ClaimedPath.folders(id, dropped) {
      try makeDirectoryIfMissing(folder)
      Failpoint.claimPlaceMade.pass()
    }
    return try place(of: id, dropped)
  }

  /// Removes the directories of a nested place that are empty.
  func clearPlace(of id: JobID, _ dropped: FileName) throws(FileError) {
    try removeEmpty(ClaimedPath.folders(id, dropped))
  }

  /// Returns the facts of what is in the place of a claim; nil if there is nothing.
  func facts(of id: JobID, _ dropped: FileName) throws(FileError) -> FileFacts? {
    try ifPresent { () throws(FileError) -> FileFacts in
      let (directory, name) = try place(of: id, dropped)
      return try directory.facts(of: name)
    }
  }

  private func removeEmpty(_ folders: [[UInt8]]) throws(FileError) {
    for folder in folders.reversed() { guard try removeEmpty(folder) else { return } }
  }

  /// Removes an empty directory; returns false if it is not empty.
  func removeEmpty(_ name: [UInt8]) throws(FileError) -> Bool {
    let isRemoved: Void? = try unless(ENOTEMPTY, EEXIST) { () throws(FileError) in
      _ = try unless(ENOENT) { () throws(FileError) in try removeDirectory(name) }
    }
    return isRemoved != nil
  }

  /// Returns what is in the directories of a claim: one file, unless somebody put others there; with `clearing`, removes the empty ones.
  fileprivate func claimed(_ id: JobID, in top: [UInt8], clearing: Bool) throws(FileError) -> [ClaimedNames.Found] {
    var (folders, next): ([[UInt8]], Int) = ([top], 0)
    var found: [ClaimedNames.Found] = []
    while next < folders.count {
      let folder = folders[next]
      next += 1
      let opened = try ifPresent { () throws(FileError) -> (Directory, DirectoryListing) in
        let directory = try self.directory(folder)
        return (directory, try directory.listing())
      }
      guard let (directory, listing) = opened else { continue }
      while let entry = try listing.next() {
        if try directory.kind(of: entry) == .directory {
          folders.append(folder + [UInt8(ascii: "/")] + entry.name)
        } else {
          let dropped = FileName(FileName(bytes: entry.name), in: Array(folder.dropFirst(top.count + 1)))
          found.append(ClaimedNames.Found(id: id, dropped: dropped, place: (directory, entry.name), isNested: true))
        }
      }
    }
    if clearing { try removeEmpty(folders) }
    return found
  }
}

/// A walk through what is claimed below a directory. Names that no claim makes are skipped.
struct ClaimedNames {
  struct Found {
    let id: JobID
    let dropped: FileName
    let place: ClaimPlace
    /// True if it has directories of its own, as no group has.
    let isNested: Bool
  }

  private let directory: Directory
  private let listing: DirectoryListing
  private let ids: Set<JobID>?
  private let clearing: Bool
  /// The files in the directories of one id that were not returned yet.
  private var found: [Found] = []

  /// `ids` are those to find, nil for all; with `clearing`, the empty directories of interrupted claims are removed.
  init(in directory: Directory, ids: Set<JobID>? = nil, clearing: Bool = false) throws(FileError) {
    (self.directory, self.ids, self.clearing) = (directory, ids, clearing)
    listing = try directory.listing()
  }

  mutating func next() throws(FileError) -> Found? {
    while true {
      if let next = found.popLast() { return next }
      guard let entry = try listing.next() else { return nil }
      guard let id = ClaimedPath.id(ofTop: entry.name), ids?.contains(id) != false else { continue }
      if let (_, dropped) = ClaimedPath.parse(entry.name) {
        return Found(id: id, dropped: dropped, place: (directory, entry.name), isNested: false)
      }
      guard try directory.kind(of: entry) == .directory else { continue }
      found = try directory.claimed(id, in: entry.name, clearing: clearing)
    }
  }
}

/// Returns the result of calls; nil if they fail with one of these error numbers.
func unless<Result>(_ codes: Int32..., calls: () throws(FileError) -> Result) throws(FileError) -> Result? {
  do throws(FileError) {
    return try calls()
  } catch {
    guard codes.contains(error.errno) else { throw error }
    return nil
  }
}

/// Calls that are no error if there is nothing to do.
extension Directory {
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
    _ = try unless(EEXIST) { () throws(FileError) in try makeDirectory(name, permissions: 0o700) }
  }

  /// Returns the kind of a name in this directory; nil if it has disappeared meanwhile.
  func kind(of entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try factsIfPresent(entry.name)?.kind
  }
}

extension FileError {
  /// True if the object of the failed call is gone, or was replaced by something of another kind.
  package var isOfSomethingGone: Bool { [ENOENT, ENOTDIR, ELOOP].contains(errno) }

  /// True if the failed call was one that gives a file a name. For other calls the same error number has other meanings.
  var isOfNaming: Bool { operation == "rename" || operation == "link" }

  /// True if a file could not get a name in another directory because that is on another file system.
  var isOfAnotherFileSystem: Bool { isOfNaming && errno == EXDEV }
}
