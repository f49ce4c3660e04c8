import Credentials
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
