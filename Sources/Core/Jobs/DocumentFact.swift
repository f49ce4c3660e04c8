/// A fact of a registered document that a user-defined field may name in braces; the raw value is the name.
///
/// Besides these there is `{metadata.NAME}`.
public enum DocumentFact: String, CaseIterable, Sendable {
  case link, bucket, key, etag, version, sha256, size
  /// The type of the file's content.
  case contentType = "content_type"
  case name, stem, ext, path, spool, host
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
  /// Nothing, for a field that is null in JSON.
  case null
}

/// A fact of a job that the template of a key, a link, a tag or a header may name in braces; the raw value is the name.
///
/// Besides these there is `{metadata.NAME}`.
public enum KeyFact: String, CaseIterable, Sendable {
  case spool, yyyy, mm, dd, id, name, stem, ext, job, host, path
  /// Two hexadecimal digits of the job's id, by which keys are spread evenly over 256 prefixes.
  case spread

  /// The ending of a placeholder in a header whose value is an ext-value (RFC 8187).
  package static let headerEnding = ":header"
}

/// A placeholder of a template: a fact, metadata, or a part of the file's name.
public enum Placeholder<Fact: RawRepresentable<String> & Hashable & Sendable>: Hashable, Sendable {
  case fact(Fact)
  /// The value that the file carried under this name in `user.waybill.NAME`.
  case metadata(String)
  /// The part of the file's name that `match` of the spool gives this name.
  case capture(String)

  /// Creates the placeholder for a name in braces; nil if there is none.
  /// - Parameter captures: the names of parts of file names.
  public init?(_ name: String, captures: Set<String> = []) {
    let prefix = "metadata."
    if name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count {
      self = .metadata(String(name.dropFirst(prefix.count)))
    } else if let fact = Fact(rawValue: name) {
      self = .fact(fact)
    } else if captures.contains(name) {
      self = .capture(name)
    } else {
      return nil
    }
  }
}

/// A placeholder of a user-defined field.
public typealias DocumentPlaceholder = Placeholder<DocumentFact>
/// A placeholder of a key, a link, a tag or a header.
public typealias KeyPlaceholder = Placeholder<KeyFact>
