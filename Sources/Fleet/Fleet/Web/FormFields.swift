import Jobs

/// The fields of a form or of a query, as browsers write them (URL Standard, application/x-www-form-urlencoded).
struct FormFields: Hashable, Sendable {
  private var fields: [String: String] = [:]

  /// Reads a text; of two fields with the same name the first one counts.
  init(_ text: String) {
    for part in text.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.decoded(String(halves[0]))
      if fields[name] == nil { fields[name] = halves.count > 1 ? PercentEncoding.decoded(String(halves[1])) : "" }
    }
  }

  /// The value of a field; nil if it is missing or empty.
  subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns fields as the part of an address after the question mark.
  static func text(_ fields: [(String, String)]) -> String {
    fields.map { PercentEncoding.component($0.0) + "=" + PercentEncoding.component($0.1) }.joined(separator: "&")
  }
}
