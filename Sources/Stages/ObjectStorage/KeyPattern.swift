import Jobs

/// The keys that a spool's jobs can have: the key template with the spool and the host filled in, as far as they are known.
public struct KeyPattern: Hashable, Sendable {
  /// The common beginning of all such keys.
  public let prefix: String
  private let pieces: [Piece]

  private enum Piece: Hashable {
    case text(String)
    case id
    /// Any text.
    case anything
  }

  /// The keys of a spool's jobs on this host.
  public init(_ template: KeyTemplate, spool: String, host: String) {
    let pieces = template.placeholders.map { part -> Piece in
      switch part {
      case .text(let text): .text(text)
      case .placeholder(.metadata), .placeholder(.capture): .anything
      case .placeholder(.fact(let fact)):
        switch fact {
        case .spool: .text(spool)
        case .host: .text(host)
        case .id: .id
        case .yyyy, .mm, .dd, .spread, .name, .stem, .ext, .job, .path: .anything
        }
      }
    }
    self.pieces = pieces
    var prefix = ""
    for piece in pieces {
      guard case .text(let text) = piece else { break }
      prefix += text
    }
    self.prefix = prefix
  }

  /// True if no two jobs have the same key, because the job's id is part of it.
  public var hasID: Bool { pieces.contains(.id) }
}
