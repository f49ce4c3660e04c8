import Jobs
import Messages

/// The URL of registrations, whose path and query may have placeholders, e.g. `https://api.example.com/documents/{id}`.
///
/// Values are percent-encoded with their slashes, so that none of them leaves its segment of the path or its value of the query.
struct URLTemplate: Sendable {
  private let path: Template<DocumentPlaceholder>
  /// It begins with the question mark.
  private let query: Template<DocumentPlaceholder>
  private let written: String
  /// The whole URL, if it has no placeholders.
  private let whole: String?

  init(_ text: String, captures: Set<String>) throws(TemplateFault) {
    written = String(text.prefix { $0 != "?" })
    path = try Template(written) { DocumentPlaceholder($0, captures: captures) }
    query = try Template(String(text.dropFirst(written.count))) { DocumentPlaceholder($0, captures: captures) }
    whole = text.contains("{") || text.contains("}") ? nil : text
  }

  /// The URL with the same word in place of each placeholder, for requests that are not about a document.
  var sample: String { path.text { _ in "waybill" } + query.text { _ in "waybill" } }

  /// The URL for a document. A value that is unknown is empty.
  /// - Throws: a failure of kind `rejected` if a segment of the path would be empty, because that is the URL of something else.
  func url(of document: StoredDocument, host: String) throws(Failure) -> String {
    if let whole { return whole }
    func text(_ template: Template<DocumentPlaceholder>) -> String {
      template.text { PercentEncoding.component(document.text($0, host: host) ?? "") }
    }
    var segments: [Substring] = []
    let rendered = text(path).split(separator: "/", omittingEmptySubsequences: false)
    for (constant, segment) in zip(path.constantSegments, rendered) {
      switch segment {
      case "" where constant == nil: throw Failure(.rejected, .urlLacksValue(url: DisplayText.escape(written)))
      // Encoded as in a key, and then as any value: %2E alone is a dot for servers and proxies.
      case "." where constant == nil, ".." where constant == nil: segments.append(segment.replacing(".", with: "%252E"))
      default: segments.append(segment)
      }
    }
    return segments.joined(separator: "/") + text(query)
  }
}
