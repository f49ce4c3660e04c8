package import Jobs
package import Linux
package import Messages

/// A file or group that was claimed: it is in `.waybill`, under its job's id and its own name.
package struct Claim: Hashable, Sendable {
  package internal(set) var id: JobID
  /// The name it was dropped under, with the path before it; by it ``SpoolDirectory`` finds the file.
  package let dropped: FileName
  /// The facts of its bytes, taken after the claim (the rename itself changes ctime).
  package internal(set) var identity: FileIdentity
  /// The extended attributes `user.waybill.NAME` and `user.mime_type`, by full name. Empty if the daemon may not read the
  /// file.
  package private(set) var attributes: [String: [UInt8]] = [:]
  /// The sidecar that was claimed with it; nil if it has none.
  package private(set) var sidecar: ClaimedSidecar?
  /// The directory that was claimed as a whole; nil for a single file.
  package private(set) var group: Parcel.Group?
  /// The error of reading its attributes or its sidecar, if that failed again and again.
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
  /// It was written to after the upload, so it is kept. The value is its facts at this moment, if it is a single file.
  case changed(FileIdentity?)
  /// Somebody has it open for writing. It is kept, since more data may come.
  case beingWritten
  /// It is not known who has it open, and since its claim it has not been unchanged for long enough. The value is the time left.
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

  /// Its pattern and its facts, by which it is found and recognized.
  package let sidecar: Parcel.Sidecar
  package let content: Content
}

/// A claim as its job knows it: its id, the name that it was dropped under, and its kind. They give its place in `.waybill`.
package struct ClaimReference: Hashable, Sendable {
  package let id: JobID
  /// The name it was dropped under, preceded by its path in the spool; for a pair, the document's name.
  package let name: FileName
  package let parcel: Parcel

  /// Creates a reference; without a parcel, to a single file.
  package init(_ id: JobID, _ name: FileName, _ parcel: Parcel = .file) {
    self.id = id
    self.name = name
    self.parcel = parcel
  }

  /// The names that it gets in the directory that it is released to.
  package var names: [FileName] {
    [name.last] + [parcel.sidecar?.pattern.sidecar(of: name).last].compactMap(\.self)
  }
}

extension Ticket {
  package var claim: ClaimReference { ClaimReference(id, dropped, parcel) }
}
