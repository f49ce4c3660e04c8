import Jobs

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
