public import Jobs
public import Linux
public import Messages

/// A file or group that was claimed: it is in `.waybill`, under its job's id and its own name.
public struct Claim: Hashable, Sendable {
  /// The id that was made for it.
  public internal(set) var id: JobID
  /// The name it was dropped under, with the path before it; by it ``SpoolDirectory`` finds the file.
  public let dropped: FileName
  /// The facts of its bytes, taken after the claim (the rename itself changes ctime).
  public internal(set) var identity: FileIdentity
  /// The extended attributes `user.waybill.NAME` and `user.mime_type`, by full name. Empty if the daemon may not read the
  /// file.
  public private(set) var attributes: [String: [UInt8]] = [:]
  /// The sidecar that was claimed with it; nil if it has none.
  public private(set) var sidecar: ClaimedSidecar?
  /// The directory that was claimed as a whole; nil for a single file.
  public private(set) var group: Parcel.Group?
  /// The error of reading its attributes or its sidecar, if that failed again and again.
  public private(set) var unread: FileError?
  /// The file that stays where it is, as the list of sent files will know it; nil if the claim renamed it.
  public private(set) var kept: KeptFile?
  /// True if the list of sent files was lost, and the file may have been sent before.
  public private(set) var mayHaveBeenSent = false

  /// The name it was dropped under.
  public var name: FileName { dropped.last }

  /// The path of its directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  public var path: [UInt8] { dropped.path }

  /// The files that its job sends.
  public var parcel: Parcel {
    if let group { return .group(group) }
    if kept != nil { return .inPlace }
    return sidecar.map { .withSidecar($0.sidecar) } ?? .file
  }

  /// The id that the file asks for (`user.waybill.id`), if that is a valid id.
  public var wantedID: JobID? {
    attributes["user.waybill.id"].flatMap { String(validating: $0, as: UTF8.self) }.flatMap { JobID($0) }
  }

  /// The maximum number of attributes that are read.
  public static var attributeCount: Int { 64 }
  /// The maximum number of bytes of names and values that are read. S3 takes 2 KiB of metadata; a backend may take more.
  public static var attributeBytes: Int { 16_384 }

  static func isWanted(_ attribute: String) -> Bool {
    attribute == "user.mime_type" || attribute.hasPrefix("user.waybill.")
  }
}

/// The result of disposing of a claim, or of one of its files.
public enum Disposal: Hashable, Sendable {
  /// It is removed.
  case removed
  /// It was already gone.
  case alreadyGone
  /// It was written to after the upload, so it is kept. The value is its facts at this moment, if it is a single file.
  case changed(FileIdentity?)
  /// Somebody has it open for writing. It is kept, since more data may come.
  case beingWritten
  /// It is not known who has it open, and since its claim it has not been unchanged for long enough. The value is the time left.
  case tooYoung(Duration)
}

/// The description that was claimed together with a document.
public struct ClaimedSidecar: Hashable, Sendable {
  /// The text of a sidecar when it was read, or the reason why it cannot be used.
  public enum Content: Hashable, Sendable {
    /// All its bytes.
    case bytes([UInt8])
    /// It cannot be used. The text continues a sentence that begins with its name.
    case unusable(Message)
  }

  /// Its pattern and its facts, by which it is found and recognized.
  public let sidecar: Parcel.Sidecar
  /// Its content, read when it was claimed.
  public let content: Content
}

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
