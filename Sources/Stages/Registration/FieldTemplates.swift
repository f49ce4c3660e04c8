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

  /// True if there are no fields, so that the default members are used.
  var isEmpty: Bool { fields.isEmpty }

  /// True if a field contains this fact.
  func use(_ fact: DocumentFact) -> Bool {
    fields.contains { $0.template.parts.contains(.placeholder(.fact(fact))) }
  }

  /// Adds the fields as texts. A field of one placeholder is null if the value is unknown, and a list for `{files}`.
  ///
  /// - Parameter host: the name of this host.
  func write(_ document: StoredDocument, host: String, to members: inout JSONText) {
    for field in fields where !document.asksBackend || field.name != "verify" {
      if case .placeholder(let placeholder)? = field.template.parts.first, field.template.parts.count == 1 {
        if placeholder == .fact(.files), let files = document.files {
          members.member(field.name, json: files.json)
        } else {
          members.member(field.name, document.text(placeholder, host: host))
        }
      } else {
        let pieces = field.template.parts.map { part in
          switch part {
          case .text(let text): text
          case .placeholder(let placeholder): document.text(placeholder, host: host) ?? ""
          }
        }
        members.member(field.name, pieces.joined())
      }
    }
  }
}

extension StoredDocument {
  /// A fact that a field of the body may name, as a text; nil if it is unknown.
  fileprivate func text(_ placeholder: DocumentPlaceholder, host: String) -> String? {
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
    }
  }
}
