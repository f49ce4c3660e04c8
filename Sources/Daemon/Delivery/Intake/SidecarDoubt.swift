package import Jobs
package import Messages

/// The fault of a document's sidecar.
package struct SidecarDoubt: Sendable, Hashable {
  /// The document's name.
  package let document: FileName
  /// The fault: `its sidecar a.json did not come within 30s`.
  package let message: Message
  /// The remedy.
  package let remedy: Message

  /// The reason to ask a person before the document is sent.
  var failure: Failure { Failure(.file, .withoutSidecar(what: message), code: "sidecar") }
}
