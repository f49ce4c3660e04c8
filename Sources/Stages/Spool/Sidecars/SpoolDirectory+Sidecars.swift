public import Jobs
public import Linux

extension SpoolDirectory {
  /// A claimed sidecar whose document is not claimed: a crash came between the two, or the document was disposed of.
  public struct StrandedSidecar: Hashable, Sendable {
    /// The pattern of its name.
    public let pattern: SidecarPattern
    /// The id under which it was claimed.
    public let id: JobID
    /// The name of its document, preceded by the path in the spool.
    public let document: FileName
    /// True if the same file is claimed under another id too.
    public let stands: Bool
  }

  /// Begins a search for claimed sidecars whose documents are not in `.waybill`.
  public func strandedSidecars() throws(FileError) -> StrandedSidecars { try StrandedSidecars(try held()) }

  /// Puts a stranded sidecar back into the directory that its document came from. If it is claimed under another id too, it is
  /// only removed under this one.
  ///
  /// - Returns: the problem, if its name is taken or the directory is gone. The sidecar stays claimed then.
  public func putBack(_ sidecar: StrandedSidecar) throws(FileError) -> SpoolProblem? {
    let held = try held()
    if sidecar.stands {
      try held.removeSidecar(sidecar.id, sidecar.document)
      return nil
    }
    let path = sidecar.document.path
    let problem = SpoolProblem.strandedSidecar(options, sidecar.pattern.sidecar(of: sidecar.document))
    let folder: Directory
    do throws(FileError) {
      folder = path.isEmpty ? try held.spool : try held.spool.directory(below: path).reopened()
    } catch {
      guard error.isOfSomethingGone else { throw error }
      return problem
    }
    return try held.putBack(sidecar.pattern, sidecar.id, sidecar.document, into: folder) ? nil : problem
  }
}
