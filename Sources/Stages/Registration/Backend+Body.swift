import Jobs

extension Backend {
  /// The body that registers a document, to be stored with the job and kept unchanged: a JSON object in UTF-8.
  public func body(of document: StoredDocument) -> [UInt8] { form.bytes(of: document) }

  /// True if a document's body has the text of its sidecar.
  public var wantsSidecars: Bool { form.fields.use(.sidecar) }

  /// Returns the content type of a body, which is recognized by its beginning. So a body that was stored before a change of the
  /// configuration keeps its type.
  static func contentType(of body: [UInt8]) -> String {
    body.starts(with: eventStart) ? "application/cloudevents+json; charset=UTF-8" : "application/json"
  }

  private static let eventStart = Array(#"{"specversion":"1.0","id":"#.utf8)
}
