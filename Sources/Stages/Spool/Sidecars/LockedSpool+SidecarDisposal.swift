import Glibc
package import Jobs
package import Linux
import Seams

/// A sidecar is disposed of after its document, in the same way.
extension LockedSpool {
  /// Removes the sidecar of a document that is gone, or moves it into the archive beside the document, under the same conditions. If it
  /// was written to since its claim, it has bytes that nobody has read: it is put back into the directory that its document came from.
  ///
  /// - Returns: the result; `changed` if it was put back.
  package func disposeSidecar(
    _ sidecar: Parcel.Sidecar, of claim: ClaimReference, on terms: DisposalTerms, job: JobNumber, archive: Archive?,
    documentWas: FileIdentity
  ) throws(FileError) -> Disposal {
    let (id, document) = (claim.id, claim.name)
    guard let shelf = try SidecarShelf.find(sidecar.pattern, in: claims) else { return .alreadyGone }
    let place = try ifPresent { () throws(FileError) in try shelf.location(id, document) }
    let archiving = archive.map { archive in
      let names = ArchivedName(document, job: job, id: id)
      let unfinished = Archive.unfinished(id) + Array(".sidecar".utf8)
      // The sidecar gets the name that fits its document's name in the archive.
      return Archiving(archive, below: names.directories, unfinished) { directory throws(FileError) in
        try names.choices(of: documentWas, in: directory).map { shelf.pattern.sidecar(of: FileName(bytes: $0)).bytes }
      }
    }
    let end = try end(
      place.map { Member(directory: $0.0, name: $0.1, identity: sidecar.identity) }, of: id, on: terms,
      isSent: { now throws(FileError) in now.mayHoldBytes(of: sidecar.identity) }, archiving: archiving)
    switch end {
    case .removed:
      if archive != nil { Failpoint.sidecarArchived.pass() }
      Failpoint.sidecarRemoved.pass()
      try shelf.clearPlace(id, document)
    case .alreadyGone: try shelf.clearPlace(id, document)
    case .changed: try giveBack(shelf, id, document)
    case .beingWritten, .tooYoung: break
    }
    return end
  }

  private func giveBack(_ shelf: SidecarShelf, _ id: JobID, _ document: FileName) throws(FileError) {
    let folder = document.path.isEmpty ? try spool : try spool.directory(below: document.path).reopened()
    guard try putBack(shelf, id, document, into: folder) else {
      throw FileError(
        "put back", path: "\(shelf.directory.path)/\(shelf.pattern.sidecar(of: document).shown)", errno: EEXIST)
    }
  }
}

extension ArchivedName {
  /// The choices from the one on that a document with these facts has. If no choice fits, all of them.
  fileprivate func choices(of document: FileIdentity, in directory: Directory) throws(FileError) -> ArraySlice<[UInt8]>
  {
    for index in choices.indices {
      let facts = try directory.factsIfPresent(choices[index])
      if let facts, facts.kind == .regular, FileIdentity(facts).mayHoldBytes(of: document) { return choices[index...] }
    }
    return choices[...]
  }
}
