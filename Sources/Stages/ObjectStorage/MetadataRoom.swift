import HTTPTransfer
import Jobs

/// The room that objects of a storage have for metadata.
///
/// S3 takes 2 KB of it: names and values in UTF-8 ("Working with object metadata" in the S3 user guide). MinIO counts `x-amz-meta-` with
/// each name, so that is counted here too.
public struct MetadataRoom: Sendable {
  /// The maximum number of bytes.
  public static let limit = 2048

  private let headers: [String: String]
  private let templates: ObjectTemplates

  /// The room beside the headers that a storage gives all objects.
  public init(headers: [String: String] = [:], templates: ObjectTemplates = .none) {
    self.headers = headers
    self.templates = templates
  }

  /// Returns those of the names that fit. They are taken in their order, and one that does not fit leaves its place to those
  /// after it.
  ///
  /// - Parameter facts: those of the job, for the storage's own headers.
  public func fitting(_ names: [String], of values: [String: String], _ facts: KeyFacts) -> [String] {
    // Ignored: a header of the storage that cannot be rendered is the failure of the upload.
    let own = headers.map { HTTPHeader($0.key, $0.value) } + ((try? templates.render(facts)) ?? [])
    let left = Self.limit - Self.size(own)
    func fits(_ names: [String]) -> Bool {
      var headers: [HTTPHeader] = []
      MetadataHeaders.add(values.filter { names.contains($0.key) }, id: facts.id, to: &headers)
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
