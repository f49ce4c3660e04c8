package import Jobs

/// The terms on which a spool's documents come with a sidecar.
package struct SidecarTerms: Sendable, Hashable {
  /// The treatment of a document whose sidecar is missing or cannot be used.
  package enum Missing: Sendable {
    /// It is sent without.
    case send
    /// A person is asked.
    case ask
  }

  let pattern: SidecarPattern
  let wait: Duration
  let missing: Missing

  package init(pattern: SidecarPattern, wait: Duration, missing: Missing) {
    self.pattern = pattern
    self.wait = wait
    self.missing = missing
  }
}

/// The fault of a document's sidecar.
package struct SidecarDoubt: Sendable, Hashable {
  /// The document's name.
  package let document: FileName
  /// The fault in words: `its sidecar a.json did not come within 30s`.
  package let words: String
  /// The remedy, if the fault is in the sidecar's content.
  package let remedy: String

  /// The reason to ask a person before the document is sent.
  var failure: Failure { Failure(.file, words + "; confirm sends it without", code: "sidecar") }
}
