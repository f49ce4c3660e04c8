import HTTPTransfer
import Jobs
public import Settings

/// The space that a storage's objects have for metadata.
///
/// S3 accepts 2 KB: names and values in UTF-8 ("Working with object metadata" in the S3 user guide). MinIO also counts
/// `x-amz-meta-` for each name, so it is counted here too.
public struct MetadataRoom: Sendable {
  /// The maximum total number of bytes.
  public static let limit = 2048

  /// As long as any SHA-256 in hex.
  private static let anySHA256 = String(repeating: "0", count: 64)

  private let headers: [String: String]
  private let templates: ObjectTemplates

  /// The space that remains after the headers that a storage's settings add to all objects.
  public init(headers: [String: String] = [:], templates: ObjectTemplates = .none) {
    self.headers = headers
    self.templates = templates
  }

  /// The space for metadata in objects of a storage.
  ///
  /// - Throws: `TemplateFault` for headers that are not templates. Reading the configuration detects that earlier.
  public init(_ settings: StorageSettings) throws {
    self.init(
      headers: settings.plainHeaders, templates: try ObjectTemplates(settings))
  }

  /// Returns the names that fit. They are tried in their order; a name that does not fit is skipped.
  ///
  /// - Parameter facts: the facts of the job, for the headers from the storage's settings.
  public func fitting(_ names: [String], of values: [String: String], _ facts: KeyFacts) -> [String] {
    // The error is ignored here: a header that cannot be rendered makes the upload fail.
    let own = headers.map { HTTPHeader($0.key, $0.value) } + ((try? templates.render(facts)) ?? [])
    let left = Self.limit - Self.size(own)
    func fits(_ names: [String]) -> Bool {
      var headers: [HTTPHeader] = []
      MetadataHeaders.add(
        values.filter { names.contains($0.key) }, id: facts.id, sha256: Self.anySHA256, to: &headers)
      return Self.size(headers) <= left
    }
    if fits(names) { return names }
    return names.reduce(into: []) { taken, name in
      if fits(taken + [name]) { taken.append(name) }
    }
  }

  private static func size(_ headers: [HTTPHeader]) -> Int {
    headers.reduce(0) { size, header in
      header.name.lowercased().hasPrefix(MetadataHeaders.prefix)
        ? size + header.name.utf8.count + header.value.utf8.count : size
    }
  }
}
