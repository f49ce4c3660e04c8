package import Jobs
import Messages

/// The fault of a document's sidecar.
package struct SidecarDoubt: Sendable, Hashable {
  /// The document's name.
  package let document: FileName
  /// The fault in words: `its sidecar a.json did not come within 30s`.
  package let words: String
  /// The remedy.
  package let remedy: String

  /// The reason to ask a person before the document is sent.
  var failure: Failure { Failure(.file, .withoutSidecar(what: .text(words)), code: "sidecar") }
}
