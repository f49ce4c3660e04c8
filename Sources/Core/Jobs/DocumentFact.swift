/// A fact of a registered document that a user-defined field may name in braces; the raw value is the name.
///
/// Besides these there is `{metadata.NAME}`.
public enum DocumentFact: String, CaseIterable, Sendable {
  /// The link and the object behind it.
  case link, bucket, key, etag, version, sha256, size
  /// The type of the file's content.
  case contentType = "content_type"
  /// The file.
  case name, stem, ext, path, spool, host
  /// The job.
  case id, job
  /// The times of the file's last modification and of its upload.
  case modifiedAt = "modified_at"
  case uploadedAt = "uploaded_at"
  /// The day of the admission, in UTC.
  case yyyy, mm, dd
  /// The text of the sidecar.
  case sidecar
  /// The list of a group's files.
  case files
}

/// A placeholder of a user-defined field.
public enum DocumentPlaceholder: Hashable, Sendable {
  /// One of the facts.
  case fact(DocumentFact)
  /// The value that the file carried under this name in `user.waybill.NAME`.
  case metadata(String)

  /// Creates the placeholder for a name in braces; nil if there is none.
  public init?(_ name: String) {
    if name.hasPrefix(Self.prefix), name.count > Self.prefix.count {
      self = .metadata(String(name.dropFirst(Self.prefix.count)))
    } else if let fact = DocumentFact(rawValue: name) {
      self = .fact(fact)
    } else {
      return nil
    }
  }

  private static let prefix = "metadata."
}
