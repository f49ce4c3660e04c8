public import Messages

/// The form of the texts that a caller wants: the header `Accept-Language`, and the parameter `texts` that all calls have.
public struct AnswerForm: Hashable, Sendable {
  /// The form of the texts.
  public var texts: TextForm
  /// The path and the query of the request, without this parameter.
  public private(set) var target: String

  /// Creates the form of an answer in a language, for a request that has no such parameter.
  public init(_ target: String, acceptLanguage: String?) {
    texts = .words(ReaderLanguage(acceptLanguage: acceptLanguage))
    self.target = target
  }

  /// Reads the target of a request.
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(reading target: String, acceptLanguage: String?) throws(InvalidRequest) {
    self.init(target, acceptLanguage: acceptLanguage)
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0].hasPrefix("/v1/") else { return }
    let parts = halves[1].split(separator: "&")
    let rest = parts.filter { $0.prefix { $0 != "=" } != "texts" }
    guard rest.count < parts.count else { return }
    guard rest.count == parts.count - 1 else { throw InvalidRequest(.givenTwice(name: "texts")) }
    guard parts.contains("texts=coded") else { throw InvalidRequest(.valueOnly(name: "texts", value: "coded")) }
    texts = .coded
    self.target = String(halves[0]) + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
  }
}
