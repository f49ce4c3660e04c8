import Glibc
import Jobs
import LinuxFiles

extension HeldSpool {
  /// Hands over what stands in `.waybill`, as a stream. Names that no claim makes, and what is not a regular file, are
  /// left alone. An empty directory of a claim that a crash cut short is removed.
  func forEachClaim(_ body: (Claim) throws -> Void) throws {
    let listing = try claims.listing()
    while let entry = try listing.next() {
      if let (id, name) = ClaimedPlace.parse(entry.name) {
        try hand(claims, entry.name, id, name, to: body)
      } else if let id = ClaimedPlace.id(entry.name), try kind(of: entry) == .directory {
        try forNested(entry.name, id, body)
      }
    }
  }

  private func forNested(_ directoryName: [UInt8], _ id: JobID, _ body: (Claim) throws -> Void) throws {
    let directory = try claims.directory(directoryName)
    let listing = try directory.listing()
    var isEmpty = true
    while let entry = try listing.next() {
      isEmpty = false
      try hand(directory, entry.name, id, FileName(bytes: entry.name), to: body)
    }
    if isEmpty { try claims.removeDirectory(directoryName) }
  }

  private func hand(
    _ directory: Directory, _ claimed: [UInt8], _ id: JobID, _ name: FileName, to body: (Claim) throws -> Void
  ) throws {
    guard let facts = try facts(directory, claimed), facts.kind == .regular else { return }
    let (attributes, _) = attributes(directory, claimed, facts)
    try body(Claim(id: id, name: name, identity: FileIdentity(facts), attributes: attributes))
  }

  private func kind(of entry: DirectoryListing.Entry) throws(FileError) -> FileFacts.Kind? {
    if let kind = entry.kind { return kind }
    return try facts(claims, entry.name)?.kind
  }

  /// Facts, or nil for a name that went meanwhile.
  private func facts(_ directory: Directory, _ name: [UInt8]) throws(FileError) -> FileFacts? {
    do throws(FileError) {
      return try directory.facts(of: name)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }
}
