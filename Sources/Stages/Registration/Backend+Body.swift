import FoundationEssentials
import Jobs
import Settings

extension Backend {
  /// The body that registers a document: a JSON object in UTF-8. It is stored with the job and never changes.
  public func body(of document: StoredDocument) -> [UInt8] { options.body(of: document) }

  /// True if a field of the body contains the text of the sidecar.
  public var wantsSidecars: Bool { options.fields.use(.sidecar) }

  /// Returns the content type of a body, which is recognized by its beginning. So a body that was stored before a change of the
  /// configuration keeps its type.
  static func contentType(of body: [UInt8]) -> String {
    body.starts(with: eventStart) ? "application/cloudevents+json; charset=UTF-8" : "application/json"
  }

  private static let eventStart = Array(#"{"specversion":"1.0","id":"#.utf8)
}

extension Backend.Options {
  /// The body that registers a document with these options.
  package func body(of document: StoredDocument) -> [UInt8] {
    var json = JSONText()
    switch format {
    case .json: json.object { write(document, to: &$0) }
    case .cloudEvents: json.object { writeEvent(document, to: &$0) }
    }
    return json.bytes
  }

  /// A structured event (CloudEvents 1.0, JSON format and HTTP binding) with the object as its data.
  private func writeEvent(_ document: StoredDocument, to members: inout JSONText) {
    let ticket = document.ticket
    members.add("specversion", "1.0")
    members.add("id", ascii: (document.id ?? ticket.id).characters)
    members.add("source", "/\(PercentEncoding.component(host))/\(PercentEncoding.component(ticket.spool))")
    members.add("type", "waybill.document.stored")
    members.add("subject", document.receipt?.key ?? ticket.key)
    if let time = document.receipt?.uploadedAt { members.add("time", ascii: time.rfc3339Characters) }
    members.add("datacontenttype", "application/json")
    members.object("data") { write(document, to: &$0) }
  }

  /// Writes the configured fields, or else the default members in this order. A member whose value is unknown is null.
  /// `name_base64` exists only for a name that is not UTF-8, and `replaces` only for a registration with another id than the
  /// job's.
  private func write(_ document: StoredDocument, to members: inout JSONText) {
    guard fields.isEmpty else {
      return fields.write(DocumentFacts(document: document, host: host), to: &members)
    }
    let ticket = document.ticket
    let receipt = document.receipt
    members.add("id", ascii: (document.id ?? ticket.id).characters)
    if document.id != nil { members.add("replaces", ascii: ticket.id.characters) }
    members.add("job", document.job.rawValue)
    members.add("link", document.link)
    members.add("bucket", receipt?.bucket ?? ticket.bucket)
    members.add("key", receipt?.key ?? ticket.key)
    members.add("name", ticket.name.text)
    if !ticket.name.isUTF8 { members.add("name_base64", Data(ticket.name.bytes).base64EncodedString()) }
    members.add("size", receipt?.size ?? document.identity.size)
    members.add("sha256", receipt?.sha256)
    members.add(receipt?.checksum)
    members.add("etag", receipt?.etag)
    members.add("version", receipt?.version)
    members.add("content_type", receipt?.contentType ?? ticket.contentType)
    members.add("spool", ticket.spool)
    members.add("host", host)
    members.add("modified_at", ascii: document.identity.modifiedAt.rfc3339Characters)
    members.add("uploaded_at", ascii: receipt?.uploadedAt.rfc3339Characters)
    members.object("metadata") { members in
      for (name, value) in ticket.metadata.sorted(by: { $0.key < $1.key }) { members.add(name, value) }
    }
    if let files = document.files { members.add("files", json: files.json) }
  }
}
