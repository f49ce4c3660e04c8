import HTTPTransfer
import Jobs
import Messages

/// The answer of a token endpoint (RFC 6749, sections 5.1 and 5.2).
struct TokenAnswer {
  /// The time for which a token is valid if the server does not say it.
  static let unsaidLife: Duration = .seconds(300)
  /// The longest time for which a token is used, whatever the server says.
  static let longestLife: Duration = .seconds(86_400)

  private let response: HTTPResponse
  private let now: Timestamp
  private let place: String
  private let mask: SecretMask

  /// Creates an answer that came just now; `mask` hides secrets in messages.
  init(_ response: HTTPResponse, now: Timestamp, place: String, hiding mask: SecretMask) {
    self.response = response
    self.now = now
    self.place = place
    self.mask = mask
  }

  func token() throws(FetchFailure) -> FetchedCredential {
    guard response.status == 200 else { throw refusal }
    guard !response.isHTML, let members = Members(response.body) else {
      throw FetchFailure(
        "\(place) answered HTTP 200 without a token in JSON", remedy: "see whether url of oauth is the token endpoint")
    }
    // Some servers say that a request failed in a 200.
    if members.accessToken == nil, members.error != nil { throw refusal }
    guard let text = members.accessToken, let token = Secret(text: text), text == token.text, !text.contains(" ") else {
      throw FetchFailure("\(place) gave no valid access_token")
    }
    if let type = members.tokenType, !Self.bearerTypes.contains(type.lowercased()) {
      throw FetchFailure(
        "\(place) gave a token of the type \(shown(type)), and not of the type Bearer",
        remedy: "see the client's settings at the token endpoint")
    }
    return FetchedCredential(.token(token), expires: now + (try life(members.expiresIn)))
  }

  /// The types that are sent as Bearer, in lower case. Apigee uses another name ("Get OAuth 2.0 tokens" in its manual).
  private static let bearerTypes: Set = ["bearer", "bearertoken"]

  private func life(_ said: Members.Number?) throws(FetchFailure) -> Duration {
    switch said {
    case nil: return Self.unsaidLife
    case .other: throw FetchFailure("\(place) gave an expires_in that is not a number")
    case .seconds(let seconds) where seconds > 0: return min(Self.longestLife, .seconds(seconds))
    case .seconds:
      throw FetchFailure("\(place) gave a token that has expired already", remedy: "see the token endpoint")
    }
  }

  /// The failure for an answer without a token.
  private var refusal: FetchFailure {
    let status = response.status
    let error = Members(response.body)
    let said = [error?.error, error?.errorDescription].compactMap(\.self).joined(separator: ": ")
    let message =
      said.isEmpty
      ? ServerMessage.find(in: response, hiding: mask)
      : shown(said)
    let words = "\(place) answered HTTP \(status)" + (message.map { ": \($0)" } ?? "")
    let remedy =
      switch status {
      case 408, 429, 500...: "it is tried again by itself"
      case 300..<400: "redirects are not followed: write the last address as url of oauth"
      case 404, 405: "see whether url of oauth is the token endpoint"
      default: error?.error.flatMap { Self.remedies[$0] } ?? "see client_id and the client's secret or key"
      }
    return FetchFailure(words, remedy: remedy)
  }

  /// The remedies by the codes of RFC 6749, section 5.2.
  private static let remedies = [
    "invalid_scope": "see scope of oauth",
    "invalid_target": "see audience and resource of oauth",
    "unauthorized_client": "allow this client client credentials at the token endpoint",
    "unsupported_grant_type": "the token endpoint has to know client credentials",
  ]

  private func shown(_ text: String) -> String {
    BoundedText.of(mask.hiding(in: text))
  }
}

/// The members of a token endpoint's answer, whatever their types.
private struct Members {
  enum Number {
    case seconds(Int64)
    case other
  }

  let accessToken: String?
  let tokenType: String?
  let expiresIn: Number?
  let error: String?
  let errorDescription: String?

  /// Reads the members; nil if it is no JSON object. A member of another type counts as missing.
  init?(_ bytes: [UInt8]) {
    guard var object = try? JSONReader.answer(bytes).object() else { return nil }
    func text(_ name: String) -> String? {
      guard case .text(let text)? = object.optional(name) else { return nil }
      return text
    }
    accessToken = text("access_token")
    tokenType = text("token_type")
    error = text("error")
    errorDescription = text("error_description")
    guard let life = object.optional("expires_in") else {
      expiresIn = nil
      return
    }
    // Some servers write the number as a text.
    let number: Double? =
      switch life {
      case .number(let digits), .text(let digits): Double(digits)
      default: nil
      }
    guard let number, number.isFinite else {
      expiresIn = .other
      return
    }
    expiresIn = .seconds(Int64(max(-1, min(number, 1e9))))
  }
}
