import FoundationEssentials
public import Jobs
import Messages
package import Settings

/// The content and the form of the bodies of registrations.
package struct RegistrationBody: Sendable {
  private let format: BackendSettings.Format
  /// The members of the JSON object; empty for the contract's.
  let fields: FieldTemplates
  private let host: String

  package init(_ format: BackendSettings.Format, fields: FieldTemplates, host: String) {
    self.format = format
    self.fields = fields
    self.host = host
  }

  package func bytes(of document: StoredDocument) -> [UInt8] {
    var json = JSONText(capacity: 768)
    switch format {
    case .json: json.object { write(document, to: &$0) }
    case .cloudEvents: json.object { writeEvent(document, to: &$0) }
    case .form:
      var document = document
      if fields.isEmpty { document.files = nil }
      json.object { write(document, to: &$0) }
      // Ignored: it is JSON, as it was written above.
      let members = (try? JSONReader.object(json.bytes))?.members ?? []
      return Array(members.flatMap { Self.pairs($0.name, $0.value) }.joined(separator: "&").utf8)
    }
    return json.bytes
  }

  /// The pairs of a form for a value. Members of objects have names like `metadata[invoice]`; a value that is null has no pair.
  private static func pairs(_ name: String, _ value: JSONNode) -> [String] {
    switch value {
    case .text(let text), .number(let text): ["\(PercentEncoding.component(name))=\(PercentEncoding.component(text))"]
    case .flag(let flag): pairs(name, .text("\(flag)"))
    case .object(let object): object.members.flatMap { pairs("\(name)[\($0.name)]", $0.value) }
    case .null, .array: []
    }
  }

  /// A structured event (CloudEvents 1.0, JSON format and HTTP binding), with the object as its data.
  private func writeEvent(_ document: StoredDocument, to members: inout JSONText) {
    let ticket = document.ticket
    members.member("specversion", "1.0")
    members.member("id", (document.id ?? ticket.id).description)
    members.member("source", "/\(PercentEncoding.component(host))/\(PercentEncoding.component(ticket.spool))")
    members.member("type", "waybill.document.stored")
    members.member("subject", document.receipt?.key ?? ticket.key)
    if let time = document.receipt?.uploadedAt { members.member("time", time.rfc3339) }
    members.member(JobID.traceHeader, ticket.id.traceparent(at: ticket.createdAt))
    members.member("datacontenttype", "application/json")
    members.member("data", object: { write(document, to: &$0) })
  }

  /// True if a body asks the backend whether the upload is there, by its first member. No text in an event has these bytes: it would have a
  /// backslash before each quotation mark.
  static func asks(_ body: [UInt8]) -> Bool {
    body.starts(with: #"{"verify":true"#.utf8) || body.starts(with: "verify=true".utf8)
      || body.firstRange(of: #""data":{"verify":true"#.utf8) != nil
  }

  /// Writes the operator's own fields, otherwise the contract's members in this order. A member whose value is not known is null;
  /// `name_base64` is there only for a name that is not UTF-8, `replaces` only for a registration under another id than the job's.
  private func write(_ document: StoredDocument, to members: inout JSONText) {
    if document.asksBackend { members.member("verify", true) }
    guard fields.isEmpty else {
      return fields.write(document, host: host, to: &members)
    }
    let ticket = document.ticket
    let receipt = document.receipt
    members.member("id", (document.id ?? ticket.id).description)
    if document.id != nil { members.member("replaces", ticket.id.description) }
    members.member("job", document.job.rawValue)
    members.member("link", document.link)
    members.member("bucket", receipt?.bucket ?? ticket.bucket)
    members.member("key", receipt?.key ?? ticket.key)
    members.member("name", ticket.name.text)
    if !ticket.name.isUTF8 { members.member("name_base64", Data(ticket.name.bytes).base64EncodedString()) }
    members.member("size", receipt?.size ?? document.identity.size)
    members.member("sha256", receipt?.sha256)
    members.member("checksum", receipt?.checksum)
    members.member("etag", receipt?.etag)
    members.member("version", receipt?.version)
    members.member("content_type", receipt?.contentType ?? ticket.contentType)
    members.member("spool", ticket.spool)
    members.member("host", host)
    members.member(JobID.traceHeader, ticket.id.traceparent(at: ticket.createdAt))
    members.member("modified_at", document.identity.modifiedAt.rfc3339)
    members.member("uploaded_at", receipt?.uploadedAt.rfc3339)
    members.member("metadata", ticket.metadata)
    if let files = document.files { members.member("files", json: files.json) }
  }
}

extension Backend {
  /// The body that registers a document, to be stored with the job and kept unchanged: a JSON object in UTF-8, or a form.
  public func body(of document: StoredDocument) -> [UInt8] { form.bytes(of: document) }

  /// True if a document's body has the text of its sidecar.
  public var wantsSidecars: Bool { form.fields.use(.sidecar) }

  /// Returns the content type of a body by its beginning, so that a stored one keeps its type when the configuration changes.
  static func contentType(of body: [UInt8]) -> String {
    if body.first != UInt8(ascii: "{") { return "application/x-www-form-urlencoded" }
    return body.starts(with: eventStart) ? "application/cloudevents+json; charset=UTF-8" : "application/json"
  }

  private static let eventStart = Array(#"{"specversion":"1.0","id":"#.utf8)
}

/// The stored object of one job, with the facts for its registration.
public struct StoredDocument: Hashable, Sendable {
  /// The job's number.
  public var job: JobNumber
  /// The id of the registration; nil to use the job's own.
  public var id: JobID?
  /// The facts that were fixed at admission.
  public var ticket: Ticket
  /// The facts of the file that was uploaded.
  public var identity: FileIdentity
  /// The link to the object.
  public var link: String
  /// The storage's receipt; nil if a person named the link.
  public var receipt: UploadReceipt?
  /// The text of the sidecar; nil if there is none, or if no field needs it.
  public var sidecar: String?
  /// The seconds by which the clock for the dates in the configured fields was ahead of UTC at the admission.
  public var offset: Int
  /// True if nothing but the backend can prove that the upload is there.
  public var asksBackend = false
  /// The files of a group; nil for a document, and for a link that a person named.
  public var files: GroupList?

  /// Creates the description for a registration.
  public init(
    job: JobNumber, ticket: Ticket, identity: FileIdentity, link: String, receipt: UploadReceipt?,
    sidecar: String? = nil, offset: Int = 0, files: GroupList? = nil, id: JobID? = nil
  ) {
    self.id = id
    self.job = job
    self.ticket = ticket
    self.identity = identity
    self.link = link
    self.receipt = receipt
    self.sidecar = sidecar
    self.offset = offset
    self.files = files
  }
}
