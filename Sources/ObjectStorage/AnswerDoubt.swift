import Failures
import HTTPTransfer

/// Why a 2xx does not prove what was asked for. Default virtual hosts, load balancers and portals answer 2xx to whatever comes.
enum AnswerDoubt: Hashable, Sendable {
  /// Another status than the one that S3 answers.
  case status(expected: Int)
  /// A body where S3 has none.
  case body
  /// A page of HTML where S3 has a document.
  case page
  /// No body where S3 has a document.
  case empty
  /// No ETag, or more than one.
  case noETag
  /// An ETag that is weak or not in quotes.
  case weakETag
  /// It came before all bytes of the request were sent.
  case early(sent: Int64, of: Int64)
  /// A document that cannot be read, or another one. The answer may have been garbled on its way, so it is tried again.
  case unreadable

  /// The reason in words.
  var words: String {
    switch self {
    case .status(let expected): "S3 says \(expected)"
    case .body: "it has a body"
    case .page: "it is a page of HTML"
    case .empty: "it has no body"
    case .noETag: "it has no ETag"
    case .weakETag: "its ETag is weak or not in quotes"
    case .early(let sent, let count): "it came when \(sent) of \(count) bytes had been sent"
    case .unreadable: "its document cannot be read"
    }
  }
}

extension S3Refusal.Answer {
  /// Says which 2xx are proof and which are not; nil for a proof. An `<Error>` in the body is looked for before.
  ///
  /// See "PutObject", "UploadPart", "HeadObject", "GetObject", "DeleteObject", "AbortMultipartUpload" and
  /// "CompleteMultipartUpload" in the S3 API reference.
  func doubt(in response: HTTPResponse) -> AnswerDoubt? {
    switch self {
    case .stored(let count):
      if response.status != 200 { return .status(expected: 200) }
      if !response.body.isEmpty { return .body }
      if response.bytesSent < count { return .early(sent: response.bytesSent, of: count) }
      let etags = response.headers.all.filter { $0.isNamed("ETag") }
      guard let etag = etags.first, etags.count == 1, !etag.value.isEmpty else { return .noETag }
      return S3Bucket.isStrong(etag.value) ? nil : .weakETag
    case .shown: return response.status == 200 ? nil : .status(expected: 200)
    case .slice: return response.status == 200 || response.status == 206 ? nil : .status(expected: 206)
    case .nothing:
      guard response.status == 204 || response.status == 200 else { return .status(expected: 204) }
      return response.body.isEmpty ? nil : .body
    case .document(let root):
      if response.status != 200 { return .status(expected: 200) }
      if !response.bodyTruncated, response.body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
        return .empty
      }
      if XMLElement.parse(response.body, limit: limit)?.name == root { return nil }
      return response.isHTML ? .page : .unreadable
    }
  }
}

extension S3Bucket {
  /// Whether a text is a strong entity tag that could be kept: in quotes, without what may not stand between them (RFC 9110,
  /// 8.8.3).
  static func isStrong(_ etag: String) -> Bool {
    let quote = UInt8(ascii: "\"")
    let bytes = etag.utf8
    guard bytes.count > 2, bytes.count <= longestMark + 2, bytes.first == quote, bytes.last == quote else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
  }
}
