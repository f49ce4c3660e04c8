public import Credentials
import Jobs

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
  private enum Maker {
    case template(LinkTemplate)
    case signed(@Sendable (_ bucket: String, _ key: String) -> String)
  }

  private let maker: Maker

  fileprivate init(_ template: LinkTemplate) { maker = .template(template) }

  fileprivate init(signed: @escaping @Sendable (_ bucket: String, _ key: String) -> String) { maker = .signed(signed) }

  /// The link to one object.
  public func link(bucket: String, key: String, facts: KeyFacts) -> String {
    switch maker {
    case .template(let template): template.render(bucket: bucket, key: key, facts: facts)
    case .signed(let link): link(bucket, key)
    }
  }

  /// The link to a group. There is no object under the group's key, so this link is never signed.
  public func link(toGroup key: String, bucket: String, facts: KeyFacts) -> String {
    switch maker {
    case .template(let template): template.render(bucket: bucket, key: key, facts: facts)
    case .signed: LinkTemplate.s3.render(bucket: bucket, key: key, facts: facts)
    }
  }
}

extension S3Bucket {
  /// Returns a link maker for this form.
  ///
  /// - Throws: ``Credentials/CredentialError`` if links are to be signed and the signing key cannot be read.
  public func links(_ form: LinkForm) async throws(CredentialError) -> ObjectLinks {
    switch form {
    case .template(let template): return ObjectLinks(template)
    case .presigned(let span):
      let key = try await signingKey()
      let time = now()
      return ObjectLinks(signed: { bucket, object in
        let place = endpoint.place(of: bucket, key: object)
        let query = signer.query(
          method: "GET", host: place.host, path: place.path, expires: span, key: key, time: time)
        return "\(place.url)?\(query)"
      })
    }
  }
}
