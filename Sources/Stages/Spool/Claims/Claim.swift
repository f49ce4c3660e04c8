package import Jobs
package import Linux
package import Messages

/// A claimed file or group: in `.waybill`, under its job's id and its own name, or a file that stays where it is (``kept``).
package struct Claim: Hashable, Sendable {
  package internal(set) var id: JobID
  /// The name it was dropped under, with the path before that name. The claim is found by it.
  package let dropped: FileName
  /// The facts of its bytes, taken after the claim (the rename itself changes ctime).
  package internal(set) var identity: FileIdentity
  /// The extended attributes `user.waybill.NAME` and `user.mime_type`; empty if the daemon may not read the file.
  package private(set) var attributes: [String: [UInt8]] = [:]
  /// The sidecar that was claimed with it; nil if it has none.
  package private(set) var sidecar: ClaimedSidecar?
  /// The directory that was claimed as a whole; nil for a single file.
  package private(set) var group: Parcel.Group?
  /// The error of reading the attributes or the sidecar, if the job is to ask about it.
  package private(set) var unread: FileError?
  /// The file that stays where it is, as the list of sent files will know it; nil if the claim renamed it.
  package private(set) var kept: KeptFile?
  /// True if the list of sent files was lost, and the file may have been sent before.
  package private(set) var mayHaveBeenSent = false

  package var name: FileName { dropped.last }

  /// The path of its directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  package var path: [UInt8] { dropped.path }

  package var parcel: Parcel {
    if let group { return .group(group) }
    if kept != nil { return .inPlace }
    return sidecar.map { .withSidecar($0.sidecar) } ?? .file
  }

  /// The id that the file asks for (`user.waybill.id`), if that is a valid id.
  package var wantedID: JobID? {
    attributes["user.waybill.id"].flatMap { String(validating: $0, as: UTF8.self) }.flatMap { JobID($0) }
  }

  package static var attributeCount: Int { 64 }
  /// The maximum number of bytes of names and values that are read. S3 takes 2 KiB of metadata; a backend may take more.
  package static var attributeBytes: Int { 16_384 }

  static func isWanted(_ attribute: String) -> Bool {
    attribute == "user.mime_type" || attribute.hasPrefix("user.waybill.")
  }
}

/// The result of disposing of a claim, or of one of its files.
package enum Disposal: Hashable, Sendable {
  case removed
  case alreadyGone
  /// It was written to after the upload, so it stays. The value is the present facts of a single file.
  case changed(FileIdentity?)
  /// Somebody has it open for writing. It stays, since more data may come.
  case beingWritten
  /// It is not known who has it open, and the time without changes since its claim is too short. The value is the time left.
  case tooYoung(Duration)
}

/// The description that was claimed together with a document.
package struct ClaimedSidecar: Hashable, Sendable {
  /// The text of a sidecar when it was read, or the reason why it cannot be used.
  package enum Content: Hashable, Sendable {
    case bytes([UInt8])
    /// It cannot be used. The text continues a sentence that begins with its name.
    case unusable(Message)
  }

  package let sidecar: Parcel.Sidecar
  package let content: Content
}

/// A claim as its job knows it: id, dropped name and kind, which give its place.
package struct ClaimReference: Hashable, Sendable {
  package let id: JobID
  /// The name it was dropped under, preceded by its path in the spool; for a pair, the document's name.
  package let name: FileName
  package let parcel: Parcel

  package init(_ id: JobID, _ name: FileName, _ parcel: Parcel = .file) {
    self.id = id
    self.name = name
    self.parcel = parcel
  }

  /// The names that its files get in the directory of a release.
  package var names: [FileName] {
    [name.last] + [parcel.sidecar?.pattern.sidecar(of: name).last].compactMap(\.self)
  }
}

extension Ticket {
  package var claim: ClaimReference { ClaimReference(id, dropped, parcel) }
}
