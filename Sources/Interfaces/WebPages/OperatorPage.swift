/// The operator's page: a few files, which are part of the programs. Each server of the control API serves it.
package enum OperatorPage {
  /// The rights that a browser grants to the page (Content Security Policy Level 3): it may load only its own files, and call only the
  /// server that it came from; in no frame. No script can turn a text into markup (Trusted Types).
  package static let securityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  package enum File: String, CaseIterable, Sendable {
    case document = "/"
    case style = "/page.css"
    case icon = "/icon.svg"
    case script = "/page.js"

    package var mediaType: String {
      switch self {
      case .document: "text/html; charset=utf-8"
      case .style: "text/css; charset=utf-8"
      case .icon: "image/svg+xml"
      case .script: "text/javascript; charset=utf-8"
      }
    }

    package var bytes: [UInt8] {
      switch self {
      case .document: PackageResources.page_html
      case .style: PackageResources.page_css
      case .icon: PackageResources.icon_svg
      case .script:
        [
          StateScript.bytes, PackageResources.words_js, PackageResources.status_js, PackageResources.questions_js,
          PackageResources.jobs_js, PackageResources.job_js, PackageResources.log_js, PackageResources.page_js,
        ].flatMap(\.self)
      }
    }
  }
}
