import HTTPTransfer
import Jobs

/// The metadata that travels with a file as `x-amz-meta-*` headers ("Working with object metadata" in the S3 user guide).
enum MetadataHeaders {
  /// The header that carries the job's identity.
  static let id = "x-amz-meta-waybill-id"

  /// The maximum number of bytes of all headers of a PUT, names and values ("PutObject" and "Working with object metadata": 8
  /// KB).
  static let headerLimit = 8192

  /// Refuses metadata that no request can carry. Above this size a server may simply cut the connection, which explains
  /// nothing. Below it each storage has its own limit (2 KB in S3) and names it itself (`MetadataTooLarge`).
  static func check(_ headers: [HTTPHeader]) throws(Failure) {
    let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard size > headerLimit else { return }
    throw Failure(
      .rejected,
      "the file's metadata (user.waybill.*) makes the upload's headers \(size) bytes long, but S3 allows at most "
        + "8,192 bytes of headers, with at most 2,048 bytes of metadata")
  }

  /// Adds the header with the job's id, then one for each name, in the order of names.
  ///
  /// S3 keeps names in lower case; two that differ only in case become one header with both values. Characters that a header's
  /// name cannot have become `%HH`. Names that begin with `waybill-` are reserved and left out.
  static func add(_ metadata: [String: String], id job: JobID, to headers: inout [HTTPHeader]) {
    headers.append(HTTPHeader(id, job.description))
    if metadata.isEmpty { return }
    var values: [String: [String]] = [:]
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let header = headerName(name)
      guard !header.hasPrefix("waybill-") else { continue }
      values[header, default: []].append(value)
    }
    for (name, values) in values.sorted(by: { $0.key < $1.key }) {
      headers.append(HTTPHeader("x-amz-meta-" + name, headerValue(values.joined(separator: ", "))))
    }
  }

  private static func headerName(_ name: String) -> String {
    var out: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "."):
        out.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): out.append(byte | 0x20)
      default: PercentEncoding.append(byte, to: &out)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Printable ASCII as it is; anything else as encoded words (RFC 2047), which S3 decodes.
  ///
  /// Spaces at the ends or in a row are encoded too, because signing and transport do not keep them.
  static func headerValue(_ value: String) -> String {
    let bytes = Array(value.utf8)
    let isPlain =
      bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && bytes.first != 0x20 && bytes.last != 0x20
      && !value.contains("  ") && !value.contains("=?")
    return isPlain ? value : encodedWords(value)
  }

  /// Each word has at most 75 characters and contains only whole characters (RFC 2047, section 2 and 5).
  private static func encodedWords(_ value: String) -> String {
    let bytesPerWord = 45
    var words: [String] = []
    var word: [UInt8] = []
    func finish() {
      if !word.isEmpty { words.append("=?UTF-8?B?\(Base64.text(word))?=") }
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
