import WebPages

/// The operator's page: a few files, which are part of the program.
package enum OperatorPage {
  /// The page's content security policy: it may load only its own files, and call only the server that it came from.
  static let securityPolicy = PagePolicy.text(formAction: "'none'")

  /// A file of the page, by its path.
  package enum File: String, CaseIterable {
    case document = "/"
    case style = "/page.css"
    case icon = "/icon.svg"
    case states = "/states.js"
    case words = "/words.js"
    case messages = "/messages.js"
    case sentences = "/sentences.js"
    case status = "/status.js"
    case jobs = "/jobs.js"
    case job = "/job.js"
    case groups = "/groups.js"
    case explain = "/explain.js"
    case log = "/log.js"
    case script = "/page.js"

    var mediaType: String { PageFile.mediaType(of: rawValue) }

    package var bytes: [UInt8] {
      switch self {
      case .document: PackageResources.page_html
      case .style: PageFile.style.bytes
      case .icon: PageFile.icon.bytes
      case .states: PageFile.states.bytes
      case .words: PageFile.words.bytes
      case .messages: PageFile.messages.bytes
      case .sentences: PageFile.sentences.bytes
      case .status: PackageResources.status_js
      case .jobs: PackageResources.jobs_js
      case .job: PackageResources.job_js
      case .groups: PackageResources.groups_js
      case .explain: PackageResources.explain_js
      case .log: PackageResources.log_js
      case .script: PackageResources.page_js
      }
    }
  }
}
