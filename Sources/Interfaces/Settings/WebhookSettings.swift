public import Credentials

/// `[webhook.NAME]`: a receiver of notices.
public struct WebhookSettings: Hashable, Sendable {
  /// The topics of notices.
  public enum Topic: String, Choice {
    case question
    case aborted
    case gate
    /// A problem that keeps the daemon from working as it should began or ended.
    case problem
  }

  /// The NAME of `[webhook.NAME]`.
  public var name: String
  /// The URL of the request; it may have a query.
  public var url: String
  /// The topics that are sent to it.
  public var topics: Set<Topic>
  /// The source of the bearer token, or nil for none.
  public var token: CredentialSource?
  /// The source of the secret for Standard Webhooks signatures, or nil for none.
  public var signingSecret: CredentialSource?
  /// The file of a private CA (PEM), or nil for the system's.
  public var caFile: String?

  /// The longest time that one request may take in all. Later notices wait meanwhile.
  public static let longestRequest = Duration.seconds(30)

  /// The sources of all its secrets.
  public var secrets: [CredentialSource] { [token, signingSecret].compactMap(\.self) }

  init?(_ section: inout Section, name: String) {
    let url = section.requiredText("url", example: "\"https://chat.example.com/hooks/waybill\"")
      .flatMap { section.backendURL("url", $0) }
    let listed: Set<Topic>? = section.choices("events", example: "[\"question\", \"problem\"]")
    topics = listed ?? Set(Topic.allCases)
    if section.has("events"), topics.isEmpty, !section.hasProblem("events") {
      section.problem("events", "is empty, so nothing would ever be sent", "leave it out to hear of all")
    }
    token = section.credential("token", file: "hook-token")
    signingSecret = section.credential("signing_secret", file: "hook-secret")
    caFile = section.certificates("ca_file")
    section.finish()
    guard let url else { return nil }
    self.name = name
    self.url = url
  }
}
