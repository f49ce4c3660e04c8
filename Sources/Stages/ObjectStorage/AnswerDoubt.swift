import HTTPTransfer
import Messages
package import XML

/// The reason why a 2xx does not prove that the storage carried out the request. Default virtual hosts, load balancers and login
/// portals answer 2xx to any request.
enum AnswerDoubt: Hashable, Sendable {
  /// The status is not the one that S3 answers with.
  case status(expected: Int)
  /// There is a body where S3 sends none.
  case body
  /// There is an HTML page where S3 sends an XML document.
  case page
  /// There is no body where S3 sends an XML document.
  case empty
  /// There is no ETag, or more than one.
  case noETag
  /// The ETag is weak or not in quotes.
  case weakETag
  /// The answer came before all bytes of the request were sent.
  case early(sent: Int64, of: Int64)
  /// The document cannot be read, or is of another kind. It may have been damaged on its way, so the request is tried again.
  case unreadable

  /// The reason for people.
  var message: Message {
    switch self {
    case .status(let expected): .doubtStatus(expected: expected)
    case .body: .doubtBody
    case .page: .doubtPage
    case .empty: .doubtEmpty
    case .noETag: .doubtNoEtag
    case .weakETag: .doubtWeakEtag
    case .early(let sent, let count): .doubtEarly(sent: sent, count: count)
    case .unreadable: .doubtUnreadable
    }
  }
}

extension S3Refusal.Answer {
  /// Returns the reason why a 2xx proves nothing; nil if it is a proof. The caller has already checked the body for an `<Error>`.
  ///
  /// See "PutObject", "UploadPart", "HeadObject", "GetObject", "DeleteObject", "AbortMultipartUpload" and
  /// "CompleteMultipartUpload" in the S3 API reference.
  func doubt(in response: HTTPResponse) -> AnswerDoubt? {
    switch self {
    case .stored(let count):
      if response.status != 200 { return .status(expected: 200) }
      if response.hasBody { return .body }
      if response.bytesSent < count { return .early(sent: response.bytesSent, of: count) }
      guard response.headers.count(of: "ETag") == 1, let etag = response.headers.bytes(first: "ETag"), !etag.isEmpty
      else { return .noETag }
      return S3Bucket.isStrong(etag) ? nil : .weakETag
    case .shown: return response.status == 200 ? nil : .status(expected: 200)
    case .slice: return response.status == 200 || response.status == 206 ? nil : .status(expected: 206)
    case .nothing:
      guard response.status == 204 || response.status == 200 else { return .status(expected: 204) }
      return response.hasBody ? .body : nil
    case .document(let document):
      if response.status != 200 { return .status(expected: 200) }
      if !response.bodyTruncated, response.body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
        return .empty
      }
      if let root = XMLElement.parse(response.body, limit: limit), document.isRoot(root) { return nil }
      return response.isHTML ? .page : .unreadable
    }
  }
}

extension S3Bucket {
  /// True if a text is a strong entity tag that can be recorded: in quotes, and without characters that are not allowed between
  /// them (RFC 9110, 8.8.3).
  static func isStrong(_ etag: ArraySlice<UInt8>) -> Bool {
    let quote = UInt8(ascii: "\"")
    guard etag.count > 2, etag.count <= longestMark + 2, etag.first == quote, etag.last == quote else { return false }
    return etag.dropFirst().dropLast().allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
  }
}

/// The kinds of documents that S3 answers with, besides errors.
///
/// Servers use different names for the root: moto calls the list of parts `ListPartsResponse`. So a document is recognized by
/// S3's name for its root, or by a child element that no other kind of answer has.
package enum S3Document: String, CaseIterable, Sendable {
  case uploadBegun = "InitiateMultipartUploadResult"
  case parts = "ListPartsResult"
  case uploads = "ListMultipartUploadsResult"
  case completed = "CompleteMultipartUploadResult"
  case lifecycle = "LifecycleConfiguration"

  private var marks: Set<String> {
    switch self {
    case .uploadBegun: ["UploadId"]
    case .parts: ["Part", "PartNumberMarker", "NextPartNumberMarker", "MaxParts"]
    case .uploads: ["Upload", "UploadIdMarker", "NextUploadIdMarker", "MaxUploads"]
    case .completed: ["ETag", "Location"]
    case .lifecycle: ["Rule"]
    }
  }

  /// True if an element is the root of this document.
  package func isRoot(_ element: XMLElement) -> Bool {
    element.name == rawValue || element.children.contains { marks.contains($0.name) }
  }
}
