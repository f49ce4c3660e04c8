public import Jobs
import Messages

/// The configured members of the JSON object: a template for each, e.g. `{ invoice_url = "{link}", file = "{name}" }`.
public struct FieldTemplates: Hashable, Sendable {
  private struct Field: Hashable {
    let name: String
    let template: Template<DocumentPlaceholder>
  }

  /// The fields, sorted by name, because a TOML table has no order.
  private let fields: [Field]

  /// Reads the templates.
  ///
  /// - Parameter captures: the names of parts of file names.
  /// - Throws: ``Jobs/TemplateFault`` for an unknown placeholder or a stray brace.
  public init(_ fields: [String: String], captures: Set<String> = []) throws(TemplateFault) {
    var read: [Field] = []
    for (name, text) in fields.sorted(by: { $0.key < $1.key }) {
      let template = try Template(text) { DocumentPlaceholder($0, captures: captures) }
      read.append(Field(name: name, template: template))
    }
    self.fields = read
  }

  /// No fields, which means the default members.
  public static let none = FieldTemplates()

  private init() { fields = [] }

  /// True if there are none, so that the default members are used.
  var isEmpty: Bool { fields.isEmpty }

  /// True if a field contains this fact.
  func use(_ fact: DocumentFact) -> Bool {
    fields.contains { $0.template.parts.contains(.placeholder(.fact(fact))) }
  }

  /// Adds the fields. Each is a text. A field that consists of one placeholder with an unknown value is null.
  func write(_ facts: DocumentFacts, to members: inout JSONText) {
    for field in fields {
      if case .placeholder(let placeholder)? = field.template.parts.first, field.template.parts.count == 1 {
        if placeholder == .fact(.files), let files = facts.document.files {
          members.member(field.name, json: files.json)
        } else {
          members.member(field.name, facts.value(placeholder))
        }
      } else {
        members.member(field.name, text(field.template, facts))
      }
    }
  }

  private func text(_ template: Template<DocumentPlaceholder>, _ facts: DocumentFacts) -> String {
    template.parts.map { part in
      switch part {
      case .text(let text): text
      case .placeholder(let placeholder): facts.value(placeholder) ?? ""
      }
    }.joined()
  }
}

/// The facts that a field of the body may name, as texts; nil if unknown.
struct DocumentFacts {
  let document: StoredDocument
  /// The name of this host.
  let host: String

  func value(_ placeholder: DocumentPlaceholder) -> String? {
    switch placeholder {
    case .fact(let fact): value(fact)
    case .metadata(let name): document.ticket.metadata[name]
    case .capture(let name): document.ticket.captures[name]
    }
  }

  private func value(_ fact: DocumentFact) -> String? {
    let ticket = document.ticket
    let receipt = document.receipt
    return switch fact {
    case .link: document.link
    case .bucket: receipt?.bucket ?? ticket.bucket
    case .key: receipt?.key ?? ticket.key
    case .etag: receipt?.etag
    case .version: receipt?.version
    case .sha256: receipt?.sha256
    case .size: String(receipt?.size ?? document.identity.size)
    case .contentType: receipt?.contentType ?? ticket.contentType
    case .name: ticket.name.text
    case .stem: FileName(bytes: Array(ticket.name.stem)).text
    case .ext: FileName(bytes: Array(ticket.name.ext)).text
    case .path: FileName(bytes: ticket.path).text
    case .spool: ticket.spool
    case .host: host
    case .id: (document.id ?? ticket.id).description
    case .job: String(document.job.rawValue)
    case .modifiedAt: document.identity.modifiedAt.rfc3339
    case .uploadedAt: receipt?.uploadedAt.rfc3339
    case .yyyy: ticket.createdAt.parts(ahead: document.offset).year.padded(4)
    case .mm: ticket.createdAt.parts(ahead: document.offset).month.padded(2)
    case .dd: ticket.createdAt.parts(ahead: document.offset).day.padded(2)
    case .sidecar: document.sidecar
    case .files: document.files.map { String($0.count) }
    }
  }
}
