public import Messages

/// The form in which a caller wants an answer: the header `Accept-Language`, and the parameters `texts` and `names` of a query.
public struct AnswerForm: Hashable, Sendable {
  /// The form of the texts.
  public var texts: TextForm
  /// False if what may name a file is to be left out.
  public var hasNames = true
  /// The path and the query of the request, without these parameters.
  public private(set) var target: String

  /// Creates the form of an answer in a language, for a request that has no parameters of a form.
  public init(_ target: String, acceptLanguage: String?) {
    texts = .words(ReaderLanguage(acceptLanguage: acceptLanguage))
    self.target = target
  }

  /// Reads the target of a request. At paths that have no such parameters they are left where they are.
  ///
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(reading target: String, acceptLanguage: String?) throws(InvalidRequest) {
    self.init(target, acceptLanguage: acceptLanguage)
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else { return }
    let known = Self.parameters(of: halves[0].split(separator: "/").map(String.init))
    var seen: Set<String> = []
    var rest: [Substring] = []
    for part in halves[1].split(separator: "&") {
      guard let pair = try QueryText.pairs(part).first, known.contains(pair.name) else {
        rest.append(part)
        continue
      }
      guard seen.insert(pair.name).inserted else { throw InvalidRequest(.givenTwice(name: pair.name)) }
      switch (pair.name, String(decoding: pair.value, as: UTF8.self)) {
      case ("texts", "coded"): texts = .coded
      case ("names", "false"): hasNames = false
      case ("names", "true"): break
      case ("texts", _): throw InvalidRequest(.valueOnly(name: "texts", value: "coded"))
      default: throw InvalidRequest(.valueHasToBe(name: "names", form: .formOneOf(values: "true, false")))
      }
    }
    self.target = String(halves[0]) + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
  }

  private static func parameters(of path: [String]) -> [String] {
    switch (path.first, path.dropFirst().first, path.count) {
    case ("v1", "status", 2), ("v1", "jobs", 2), ("v1", "changes", 2): ["texts", "names"]
    case ("v1", "jobs", 3...4), ("v1", "groups", 2), ("v1", "events", 2), ("v1", "log", 2), ("v1", "explain", 2),
      ("v1", "credentials", 2), ("v1", "pause", 2), ("v1", "resume", 2), ("v1", "reload", 2):
      ["texts"]
    default: []
    }
  }
}
