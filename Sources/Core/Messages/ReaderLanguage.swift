/// A language in which texts are shown to their reader.
public enum ReaderLanguage: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case chinese = "zh"

  /// Chooses the language of an `Accept-Language` (RFC 9110, section 12.5.4) with the greatest weight, the first of equals; else English.
  public init(acceptLanguage: String?) {
    var best: (language: ReaderLanguage, weight: Double) = (.english, 0)
    for range in (acceptLanguage ?? "").split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let tag = parts.first?.split(separator: "-").first, let language = ReaderLanguage(rawValue: String(tag))
      else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best.weight { best = (language, weight) }
    }
    self = best.language
  }
}
