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
    case .stem: FileName(bytes: Array(ticket.name.bytes[..<stemEnd])).text
    case .ext: FileName(bytes: Array(ticket.name.bytes[stemEnd...].dropFirst())).text
    case .path: FileName(bytes: ticket.path).text
    case .spool: ticket.spool
    case .host: host
    case .id: (document.id ?? ticket.id).description
    case .job: String(document.job.rawValue)
    case .modifiedAt: document.identity.modifiedAt.rfc3339
    case .uploadedAt: receipt?.uploadedAt.rfc3339
    case .yyyy: Self.digits(ticket.createdAt.parts(ahead: document.offset).year, 4)
    case .mm: Self.digits(ticket.createdAt.parts(ahead: document.offset).month, 2)
    case .dd: Self.digits(ticket.createdAt.parts(ahead: document.offset).day, 2)
    case .sidecar: document.sidecar
    case .files: document.files.map { String($0.count) }
    }
  }

  /// The index of the last dot; for a name without a dot, its end.
  private var stemEnd: Int {
    let bytes = document.ticket.name.bytes
    return bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
