import Glibc
import Jobs
import LinuxFiles

/// A stream of the files in `.waybill`. Names that no claim makes, and everything that is not a regular file, are left alone.
/// Empty directories of a claim that a crash interrupted are removed.
///
/// Not Sendable: one thread reads it.
final class ClaimListing {
  /// A claim in directories of its own.
  private struct Nest {
    let id: JobID
    var folders: [[UInt8]]
    var next = 0
    var directory: Directory?
    var listing: DirectoryListing?
  }

  private let held: HeldSpool
  private let listing: DirectoryListing
  private var nest: Nest?
  private let hasSidecars: Bool
  private let marker: String?

  /// `marker` is the pattern of the marker that groups have now.
  init(_ held: HeldSpool, marker: String?) throws(FileError) {
    self.held = held
    self.marker = marker
    listing = try held.claims.listing()
    hasSidecars = try !SidecarShelf.all(in: held.claims).isEmpty
  }

  /// Returns the next claim; nil at the end.
  func next() throws(FileError) -> Claim? {
    while true {
      if var nest {
        self.nest = nil
        if try advance(&nest) { self.nest = nest } else { try held.clear(nest.folders) }
        if let claim = found {
          found = nil
          return claim
        }
        continue
      }
      guard let entry = try listing.next() else { return nil }
      if let (id, name) = ClaimedPlace.parse(entry.name) {
        if let claim = try claim(held.claims, entry.name, id, name) { return claim }
        if try kind(held.claims, entry) == .directory, let claim = try held.group(entry.name, id, name, marker: marker)
        {
          return claim
        }
      } else if let id = ClaimedPlace.id(entry.name), try kind(held.claims, entry) == .directory {
        nest = Nest(id: id, folders: [entry.name])
      }
    }
  }

  private var found: Claim?

  /// Reads one name of a nest; returns false when all of it was read.
  private func advance(_ nest: inout Nest) throws(FileError) -> Bool {
    guard let directory = nest.directory, let listing = nest.listing else {
      guard nest.next < nest.folders.count else { return false }
      let directory = try held.claims.directory(nest.folders[nest.next])
      nest.directory = directory
      nest.listing = try directory.listing()
      return true
    }
    let folder = nest.folders[nest.next]
    guard let entry = try listing.next() else {
      nest.directory = nil
      nest.listing = nil
      nest.next += 1
      return true
    }
    if try kind(directory, entry) == .directory {
      nest.folders.append(folder + [UInt8(ascii: "/")] + entry.name)
    } else {
      // The first component is the id.
      let path = Array(folder.drop { $0 != UInt8(ascii: "/") }.dropFirst())
      found = try claim(directory, entry.name, nest.id, FileName(FileName(bytes: entry.name), in: path))
    }
    return true
  }

  private func claim(
    _ directory: Directory, _ claimed: [UInt8], _ id: JobID, _ dropped: FileName
  ) throws(FileError) -> Claim? {
    guard let facts = try facts(directory, claimed), facts.kind == .regular else { return nil }
    let (attributes, _) = held.attributes(directory, claimed, facts)
    return Claim(
      id: id, dropped: dropped, identity: FileIdentity(facts), attributes: attributes,
      sidecar: hasSidecars ? try held.sidecar(id, dropped) : nil)
  }

  private func kind(_ directory: Directory, _ entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try facts(directory, entry.name)?.kind
  }

  /// Returns the facts, or nil for a name that has disappeared meanwhile.
  private func facts(_ directory: Directory, _ name: [UInt8]) throws(FileError) -> FileFacts? {
    do throws(FileError) {
      return try directory.facts(of: name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }
}
