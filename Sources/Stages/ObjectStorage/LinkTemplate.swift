public import Jobs

/// The template of the links that step 1 produces, e.g. `https://cdn.example.com/{key}`; without one, `s3://BUCKET/KEY`.
public struct LinkTemplate: Hashable, Sendable {
  private enum Placeholder: Hashable {
    case bucket
    case key
    case fact(KeyPlaceholder)

    init?(_ name: String, captures: Set<String>) {
      switch name {
      case "bucket": self = .bucket
      case "key": self = .key
      default:
        guard let fact = KeyPlaceholder(name, captures: captures) else { return nil }
        self = .fact(fact)
      }
    }
  }

  private let template: Template<Placeholder>?

  /// The default: `s3://BUCKET/KEY`, with the unencoded key.
  public static let s3 = LinkTemplate()

  private init() { template = nil }

  /// Reads a template; empty means the default. Throws for stray braces and unknown placeholders.
  public init(_ text: String, captures: Set<String> = []) throws(TemplateFault) {
    template = text.isEmpty ? nil : try Template(text) { Placeholder($0, captures: captures) }
  }

  /// The link to one job's object. Values are percent-encoded (RFC 3986), except in the default link; slashes in `{key}`, `{path}` and in
  /// parts of names stay.
  public func render(bucket: String, key: String, facts: KeyFacts) -> String {
    guard let template else { return "s3://\(bucket)/\(key)" }
    return template.text { placeholder in
      switch placeholder {
      case .bucket: PercentEncoding.component(bucket)
      case .key: PercentEncoding.path(key)
      case .fact(.fact(.path)): PercentEncoding.path(Self.text(.fact(.path), facts))
      case .fact(.capture(let name)): PercentEncoding.path(Self.text(.capture(name), facts))
      case .fact(let fact): PercentEncoding.component(Self.text(fact, facts))
      }
    }
  }

  /// Decoding is safe here: ``NameText`` has escaped bytes that are not UTF-8.
  private static func text(_ placeholder: KeyPlaceholder, _ facts: KeyFacts) -> String {
    String(decoding: facts.value(placeholder), as: UTF8.self)
  }
}
