import Messages

/// Files that several pages share. They are part of the programs.
package enum PageFile: String, CaseIterable, Sendable {
  case style = "/page.css"
  case icon = "/icon.svg"
  case states = "/states.js"
  case words = "/words.js"
  case messages = "/messages.js"
  case sentences = "/sentences.js"

  /// The media type of a file by the end of its name.
  package static func mediaType(of path: String) -> String {
    if path.hasSuffix(".css") { return "text/css; charset=utf-8" }
    if path.hasSuffix(".svg") { return "image/svg+xml" }
    if path.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
    return "text/html; charset=utf-8"
  }

  /// The content.
  package var bytes: [UInt8] {
    switch self {
    case .style: PackageResources.page_css
    case .icon: PackageResources.icon_svg
    case .states: StateScript.bytes
    case .words: PackageResources.words_js
    case .messages: MessageTable.script
    case .sentences: PackageResources.sentences_js
    }
  }
}

/// The rights that a browser grants to a page of ours (Content Security Policy Level 3).
package enum PagePolicy {
  /// Returns a policy that allows only the page's own files, and calls to the server that it came from; in no frame. Scripts can
  /// turn a text into markup only by a policy of Trusted Types.
  ///
  /// - Parameters:
  ///   - formAction: the addresses that forms may be sent to.
  ///   - trustedTypes: the name of the one policy that is allowed; nil for none.
  package static func text(formAction: String, trustedTypes: String? = nil) -> String {
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
      + "form-action \(formAction); frame-ancestors 'none'; require-trusted-types-for 'script'"
      + (trustedTypes.map { "; trusted-types \($0)" } ?? "")
  }
}
