public import Jobs
import Messages
public import Settings

/// The configured JSON object: a template for each text, e.g. `{ invoice_url = "{link}", file = { name = "{name}" } }`.
public struct FieldTemplates: Hashable, Sendable {
  private typealias Value = FieldValue<Template<DocumentPlaceholder>>

  private let object: Value

  /// Reads the templates; throws for stray braces and placeholders that are unknown and no parts of file names.
  public init(_ fields: FieldValue<String>, captures: Set<String> = []) throws(TemplateFault) {
    object = try fields.map { text throws(TemplateFault) in
      try Template(text) { DocumentPlaceholder($0, captures: captures) }
    }
  }

  var isEmpty: Bool { object == .object([:]) }

  func use(_ fact: DocumentFact) -> Bool {
    object.texts.contains { $0.parts.contains(.placeholder(.fact(fact))) }
  }

  /// Adds the fields, sorted by name, because a TOML table has no order. A text of one placeholder is null if the value is unknown, and
  /// a list for `{files}`.
  func write(_ document: StoredDocument, host: String, to members: inout JSONText) {
    guard case .object(let fields) = object else { return }
    Self.write(document.asksBackend ? fields.filter { $0.key != "verify" } : fields, document, host, to: &members)
  }

  private static func write(
    _ fields: [String: Value], _ document: StoredDocument, _ host: String, to members: inout JSONText
  ) {
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      members.key(name)
      write(value, document, host, to: &members)
    }
  }

  private static func write(_ value: Value, _ document: StoredDocument, _ host: String, to json: inout JSONText) {
    switch value {
    case .constant(let text): json.value(json: Array(text.utf8))
    case .array(let elements): json.array { for element in elements { write(element, document, host, to: &$0) } }
    case .object(let members): json.object { write(members, document, host, to: &$0) }
    case .text(let template):
      guard template.parts.count == 1, case .placeholder(let placeholder)? = template.parts.first else {
        return json.value(template.text { document.text($0, host: host) ?? "" })
      }
      if placeholder == .fact(.files), let files = document.files {
        json.value(json: files.json)
      } else if let text = document.text(placeholder, host: host) {
        json.value(text)
      } else {
        json.null()
      }
    }
  }
}

extension StoredDocument {
  /// A fact that a field of the body or the URL may name, as a text; nil if it is unknown.
  func text(_ placeholder: DocumentPlaceholder, host: String) -> String? {
    switch placeholder {
    case .fact(let fact): text(fact, host: host)
    case .metadata(let name): ticket.metadata[name]
    case .capture(let name): ticket.captures[name]
    }
  }

  private func text(_ fact: DocumentFact, host: String) -> String? {
    switch fact {
    case .link: link
    case .bucket: receipt?.bucket ?? ticket.bucket
    case .key: receipt?.key ?? ticket.key
    case .etag: receipt?.etag
    case .version: receipt?.version
    case .sha256: receipt?.sha256
    case .size: String(receipt?.size ?? identity.size)
    case .contentType: receipt?.contentType ?? ticket.contentType
    case .name: ticket.name.text
    case .stem: FileName(bytes: Array(ticket.name.stem)).text
    case .ext: FileName(bytes: Array(ticket.name.ext)).text
    case .path: FileName(bytes: ticket.path).text
    case .spool: ticket.spool
    case .host: host
    case .id: (id ?? ticket.id).description
    case .job: String(job.rawValue)
    case .modifiedAt: identity.modifiedAt.rfc3339
    case .uploadedAt: receipt?.uploadedAt.rfc3339
    case .yyyy: ticket.createdAt.parts(ahead: offset).year.padded(4)
    case .mm: ticket.createdAt.parts(ahead: offset).month.padded(2)
    case .dd: ticket.createdAt.parts(ahead: offset).day.padded(2)
    case .sidecar: sidecar
    case .files: files.map { String($0.count) }
    case .null: nil
    }
  }
}
