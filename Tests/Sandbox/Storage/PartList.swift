/// The body of CompleteMultipartUpload: the list of parts that make the object.
enum PartList {
  struct Part: Sendable, Equatable {
    var number: Int
    /// The ETag without quotes.
    var etag: String
    var checksum: String?
  }

  static let malformed = StorageError(
    400, "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema")

  /// Reads the parts and ignores everything else.
  static func parse(_ text: String) throws(StorageError) -> [Part] {
    guard text.contains("<CompleteMultipartUpload") else { throw malformed }
    var parts: [Part] = []
    var rest = text[...]
    while let element = next("Part", in: &rest) {
      var values = element
      guard let number = next("PartNumber", in: &values).flatMap({ Int($0) }) else { throw malformed }
      values = element
      guard let etag = next("ETag", in: &values) else { throw malformed }
      var checksum: Substring?
      for algorithm in BodyReceipt.algorithms {
        values = element
        if let value = next("Checksum" + algorithm.uppercased(), in: &values) { checksum = value }
      }
      let plain = etag.replacing("&quot;", with: "\"").replacing("&#34;", with: "\"")
      parts.append(
        Part(number: number, etag: String(plain.filter { $0 != "\"" }), checksum: checksum.map { String($0) }))
    }
    return parts
  }

  /// Returns the content of the next element with a name. The text then begins after that element.
  private static func next(_ name: String, in text: inout Substring) -> Substring? {
    guard let start = text.firstRange(of: "<\(name)>") else { return nil }
    let inside = text[start.upperBound...]
    guard let end = inside.firstRange(of: "</\(name)>") else { return nil }
    text = inside[end.upperBound...]
    return inside[..<end.lowerBound]
  }
}
