import FoundationEssentials
import HTTPTransfer
import Jobs
import Messages
public import Settings

/// The metadata that is sent with a file as `x-amz-meta-*` headers ("Working with object metadata" in the S3 user guide).
enum MetadataHeaders {
  static let prefix = "x-amz-meta-"
  static let id = "x-amz-meta-waybill-id"
  /// The header with the SHA-256 of the object's bytes, in hex.
  static let sha256 = "x-amz-meta-waybill-sha256"

  /// Adds the headers with the job's id and, if it is known, the SHA-256 of the bytes, then one header for each name, sorted by name.
  ///
  /// If several names result in one header, it has all their values, separated by `, `. Names that begin with `waybill-` are left out.
  static func add(
    _ metadata: [String: String], id job: JobID, sha256 sum: String?, to headers: inout [HTTPHeader]
  ) {
    headers.append(HTTPHeader(id, job.description))
    if let sum { headers.append(HTTPHeader(sha256, sum)) }
    if metadata.isEmpty { return }
    var values: [String: [String]] = [:]
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let header = headerName(name)
      if !header.hasPrefix("waybill-") { values[header, default: []].append(value) }
    }
    for (header, values) in values.sorted(by: { $0.key < $1.key }) {
      headers.append(HTTPHeader(prefix + header, headerValue(values.joined(separator: ", "))))
    }
  }

  /// Keeps lower-case letters, digits and `-`; lowers upper-case letters; writes `-` for `_`, `.` and spaces, and two hex digits for any
  /// other byte. nginx and other proxies drop headers with other names (`underscores_in_headers`, `ignore_invalid_headers`).
  static func headerName(_ name: String) -> String {
    var out: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        out.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): out.append(byte | 0x20)
      case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: " "): out.append(UInt8(ascii: "-"))
      default: Hex.append(byte, to: &out)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns printable ASCII unchanged; anything else as encoded words (RFC 2047), which S3 decodes.
  ///
  /// A space at either end, or next to another space, is encoded too, because signing and transport do not preserve these.
  static func headerValue(_ value: String) -> String {
    let bytes = Array(value.utf8)
    let isPlain =
      bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && bytes.first != 0x20 && bytes.last != 0x20
      && !value.contains("  ") && !value.contains("=?")
    return isPlain ? value : encodedWords(value)
  }

  /// Each word has at most 75 characters and contains only whole characters (RFC 2047, sections 2 and 5).
  private static func encodedWords(_ value: String) -> String {
    let bytesPerWord = 45
    var words: [String] = []
    var word: [UInt8] = []
    func finish() {
      if !word.isEmpty { words.append("=?UTF-8?B?\(Data(word).base64EncodedString())?=") }
      word = []
    }
    for scalar in value.unicodeScalars {
      let encoded = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      if word.count + encoded.count > bytesPerWord { finish() }
      word += encoded
    }
    finish()
    return words.joined(separator: " ")
  }
}

/// The space that a storage's objects have for metadata.
///
/// S3 accepts 2 KB: names and values in UTF-8 ("Working with object metadata" in the S3 user guide). MinIO also counts `x-amz-meta-` for
/// each name, and so does this type.
public struct MetadataRoom: Sendable {
  /// The maximum total number of bytes.
  public static let limit = 2048

  /// As long as any SHA-256 in hex.
  private static let anySHA256 = String(repeating: "0", count: 64)

  private let headers: [String: String]
  private let templates: ObjectTemplates

  /// The space that is left beside the headers that a storage's settings add to all objects.
  public init(headers: [String: String] = [:], templates: ObjectTemplates = .none) {
    self.headers = headers
    self.templates = templates
  }

  /// The space in objects of a storage; throws for headers that are no templates, which reading the configuration detects earlier.
  public init(_ settings: StorageSettings) throws {
    self.init(
      headers: settings.plainHeaders, templates: try ObjectTemplates(settings))
  }

  /// Returns the names that fit, tried in their order, beside the headers that a job with these facts has.
  public func fitting(_ names: [String], of values: [String: String], _ facts: KeyFacts) -> [String] {
    // Ignored: a header that cannot be rendered makes the upload fail.
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
