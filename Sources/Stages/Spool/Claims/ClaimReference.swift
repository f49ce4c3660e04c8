public import Jobs

/// A claim as its job knows it: its id, the name that it was dropped under, and its kind. They give its place in `.waybill`.
public struct ClaimReference: Hashable, Sendable {
  /// The id of the job.
  public let id: JobID
  /// The name it was dropped under, preceded by its path in the spool; for a pair, the document's name.
  public let name: FileName
  /// The kind of claim.
  public let parcel: Parcel

  /// Creates a reference; without a parcel, to a single file.
  public init(_ id: JobID, _ name: FileName, _ parcel: Parcel = .file) {
    self.id = id
    self.name = name
    self.parcel = parcel
  }

  /// The names that it gets in the directory that it is released to.
  public var names: [FileName] {
    [name.last] + [parcel.sidecar?.pattern.sidecar(of: name).last].compactMap(\.self)
  }
}

extension Ticket {
  /// The claim of the job.
  public var claim: ClaimReference { ClaimReference(id, dropped, parcel) }
}
