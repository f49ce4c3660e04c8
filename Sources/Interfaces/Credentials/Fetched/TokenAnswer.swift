import HTTPTransfer
import Jobs
import Messages

/// The answer of a token endpoint (RFC 6749, sections 5.1 and 5.2).
struct TokenAnswer {
  /// The time for which a token is valid if the server does not say it.
  static let unsaidLife: Duration = .seconds(300)
  /// The longest time for which a token is used, whatever the server says.
  static let longestLife: Duration = .seconds(86_400)

  let response: HTTPResponse
  let now: Timestamp
  let place: Message
  let mask: SecretMask

  /// Its members; nil if it is no JSON object.
  private var members: JSONObject? {
    // Ignored: an answer that is no JSON is reported as one without a token.
    try? JSONReader.answer(response.body).object()
  }

  func token() throws(KeyFault) -> FetchedCredential {
    guard response.status == 200 else { throw refusal }
    guard !response.isHTML, members != nil else {
      throw KeyFault(.answeredNoToken(place: place), remedy: .seeTokenUrl)
    }
    // Some servers say that a request failed in a 200.
    if text("access_token") == nil, text("error") != nil { throw refusal }
    guard let text = text("access_token"), let token = Secret(text: text), text == token.text, !text.contains(" ")
    else { throw KeyFault(.gaveNoValid(place: place, name: "access_token")) }
    if let type = self.text("token_type"), !Self.bearerTypes.contains(type.lowercased()) {
      throw KeyFault(.gaveOtherType(place: place, type: shown(type)), remedy: .seeTokenClient)
    }
    return FetchedCredential(.secret(token), expires: now + (try life()))
  }

  private func member(_ name: String) -> JSONNode? {
    var members = members
    return members?.optional(name)
  }

  /// Returns a text. A member of another type counts as missing.
  private func text(_ name: String) -> String? { if case .text(let text)? = member(name) { text } else { nil } }

  /// The types that are sent as Bearer, in lower case. Apigee uses another name ("Get OAuth 2.0 tokens" in its manual).
  private static let bearerTypes: Set = ["bearer", "bearertoken"]

  private func life() throws(KeyFault) -> Duration {
    let seconds: Double?
    switch member("expires_in") {
    case nil: return Self.unsaidLife
    // Some servers write the number as a text.
    case .number(let digits), .text(let digits): seconds = Double(digits)
    default: seconds = nil
    }
    guard let seconds, seconds.isFinite else {
      throw KeyFault(.gaveNoNumber(place: place, name: "expires_in"))
    }
    guard seconds >= 1 else { throw KeyFault(.gaveExpiredToken(place: place), remedy: .seeTokenEndpoint) }
    return min(Self.longestLife, .seconds(Int64(min(seconds, 1e9))))
  }

  private var refusal: KeyFault {
    let status = response.status
    let said = [text("error"), text("error_description")].compactMap(\.self).joined(separator: ": ")
    let message = said.isEmpty ? ServerMessage.find(in: response, hiding: mask) : shown(said)
    let remedy: Message =
      switch status {
      case 408, 429, 500...: .triedAgainByItself
      case 300..<400: .writeLastUrl
      case 404, 405: .seeTokenUrl
      default: .seeClient
      }
    return KeyFault(.answered(place: place, answer: .httpStatus(response, said: message)), remedy: remedy)
  }

  private func shown(_ text: String) -> String {
    BoundedText.of(mask.hiding(in: text))
  }
}
