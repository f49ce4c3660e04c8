import Jobs

/// The keys that a spool's jobs can have: the key template with the spool and the host filled in, as far as they are known.
public struct KeyPattern: Hashable, Sendable {
  /// The common beginning of all such keys.
  public let prefix: String

  /// The keys of a spool's jobs on this host.
  public init(_ template: KeyTemplate, spool: String, host: String) {
    var prefix = ""
    loop: for part in template.placeholders {
      switch part {
      case .text(let text): prefix += text
      case .placeholder(.fact(.spool)): prefix += spool
      case .placeholder(.fact(.host)): prefix += host
      case .placeholder: break loop
      }
    }
    self.prefix = prefix
  }
}
