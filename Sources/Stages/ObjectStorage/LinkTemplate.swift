import Credentials
public import Jobs

/// The template of the links that step 1 produces, e.g. `https://cdn.example.com/{key}`; without one, `s3://BUCKET/KEY`.
public struct LinkTemplate: Hashable, Sendable {
  private enum Placeholder: Hashable {
    case bucket
    case key
    case fact(KeyPlaceholder)

    init?(_ name: String, captures: Set<String>) {
      switch name {
      case "bucket": self = .bucket
      case "key": self = .key
      default:
        guard let fact = KeyPlaceholder(name, captures: captures) else { return nil }
        self = .fact(fact)
      }
    }
  }

  private let template: Template<Placeholder>?

  /// The default: `s3://BUCKET/KEY`, with the unencoded key.
  public static let s3 = LinkTemplate()

  private init() { template = nil }

  /// Reads a template; an empty text means the default.
  ///
  /// - Parameter captures: the names of parts of file names.
  /// - Throws: `TemplateFault` for unknown placeholders and stray braces.
  public init(_ text: String, captures: Set<String> = []) throws(TemplateFault) {
    template = text.isEmpty ? nil : try Template(text) { Placeholder($0, captures: captures) }
  }

  /// The link to one job's object.
  ///
  /// Values are percent-encoded (RFC 3986), except in the default link. The slashes in `{key}`, `{path}` and
  /// in parts of names stay.
  public func render(bucket: String, key: String, facts: KeyFacts) -> String {
    guard let template else { return "s3://\(bucket)/\(key)" }
    return template.parts.map { part in
      switch part {
      case .text(let text): text
      case .placeholder(.bucket): PercentEncoding.component(bucket)
      case .placeholder(.key): PercentEncoding.path(key)
      case .placeholder(.fact(.fact(.path))): PercentEncoding.path(Self.text(.fact(.path), facts))
      case .placeholder(.fact(.capture(let name))): PercentEncoding.path(Self.text(.capture(name), facts))
      case .placeholder(.fact(let fact)): PercentEncoding.component(Self.text(fact, facts))
      }
    }.joined()
  }

  /// Decoding is safe here: ``NameText`` has escaped bytes that are not UTF-8.
  private static func text(_ placeholder: KeyPlaceholder, _ facts: KeyFacts) -> String {
    String(decoding: facts.value(placeholder), as: UTF8.self)
  }
}

/// The kind of links that step 1 produces.
public enum LinkForm: Hashable, Sendable {
  /// A template.
  case template(LinkTemplate)
  /// A URL of the storage with a signature in its query. Everybody who has it can read the object for this time, at most 7 days
  /// ("Sharing objects with presigned URLs" in the S3 user guide).
  case presigned(Duration)
}

/// Makes the links of one attempt. The signing key is read once, so that the links of all files of a group are signed with the
/// same key.
public struct ObjectLinks: Sendable {
  fileprivate let template: LinkTemplate
  /// Makes the signed link to an object; nil if links are not signed.
  fileprivate let signed: (@Sendable (_ bucket: String, _ key: String) -> String)?

  /// The link to one object.
  public func link(bucket: String, key: String, facts: KeyFacts) -> String {
    signed?(bucket, key) ?? template.render(bucket: bucket, key: key, facts: facts)
  }

  /// The link to a group. There is no object under the group's key, so this link is never signed.
  public func link(toGroup key: String, bucket: String, facts: KeyFacts) -> String {
    template.render(bucket: bucket, key: key, facts: facts)
  }
}

extension S3Bucket {
  /// Returns a link maker for this form.
  ///
  /// - Throws: ``UploadFailure/failed(_:)`` if links are to be signed and the signing key cannot be read. The object is stored by then.
  public func links(_ form: LinkForm) async throws(UploadFailure) -> ObjectLinks {
    switch form {
    case .template(let template): return ObjectLinks(template: template, signed: nil)
    case .presigned(let span):
      let key: SigningKey
      do throws(CredentialError) {
        key = try await signingKey()
      } catch {
        throw .failed(Failure(.credentials, error.reason, mayHaveActed: true))
      }
      let time = now()
      return ObjectLinks(template: .s3) { bucket, object in
        let place = endpoint.place(of: bucket, key: object)
        let query = signer.query(
          method: "GET", host: place.host, path: place.path, expires: span, key: key, time: time)
        return "\(place.url)?\(query)"
      }
    }
  }
}
