import HTTPTypes
import Hummingbird

/// Takes a body in chunks apart, as S3 does ("Signature calculations for trailing headers (chunked uploads)" in its API
/// reference).
///
/// It shares no code with the daemon's frame. It starts from the bytes that came, so a fault of the frame shows.
struct ChunkedBody: Sendable {
  private enum Place: Sendable {
    /// In the line with a chunk's length.
    case length
    /// In a chunk of which so many bytes are to come.
    case data(Int)
    /// In the line end behind a chunk.
    case lineEnd
    /// Among the trailers.
    case trailers
    /// Behind the empty line.
    case end
  }

  /// The minimum number of bytes of a chunk that is not the last.
  private static let least = 8192
  private static let longestLine = 1024

  /// The name of the announced trailer: `x-amz-checksum-…`.
  let name: String
  /// The number of bytes that are to come.
  let announced: Int64
  private var place = Place.length
  private var line: [UInt8] = []
  private var size: Int64 = 0
  private var lastChunk: Int?
  /// The trailer's value, once it has come.
  private(set) var value: String?

  /// - Throws: S3's error for a request that does not announce what comes.
  init(_ request: Request) throws(StorageError) {
    guard let announced = request.headers["x-amz-decoded-content-length"].flatMap({ Int64($0) }), announced >= 0 else {
      throw StorageError(411, "MissingContentLength", "You must provide x-amz-decoded-content-length.")
    }
    guard let name = request.headers["x-amz-trailer"]?.lowercased(),
      BodyReceipt.algorithms.contains(where: { "x-amz-checksum-" + $0 == name })
    else {
      throw StorageError(400, "InvalidRequest", "The value specified in the x-amz-trailer header is not supported.")
    }
    guard !BodyReceipt.algorithms.contains(where: { request.headers["x-amz-checksum-" + $0] != nil }) else {
      throw StorageError(400, "InvalidRequest", "Expecting a single x-amz-checksum- header.")
    }
    self.name = name
    self.announced = announced
  }

  /// Takes the next bytes, and returns those of the object among them.
  mutating func decode(_ bytes: [UInt8]) throws(StorageError) -> [UInt8] {
    var data: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      switch place {
      case .data(let left):
        let part = rest.prefix(left)
        data += part
        rest = rest.dropFirst(part.count)
        place = part.count == left ? .lineEnd : .data(left - part.count)
      case .length, .lineEnd, .trailers:
        guard let text = try takeLine(&rest) else { continue }
        try read(text)
      case .end: throw Self.malformed("there are bytes behind the trailer")
      }
    }
    size += Int64(data.count)
    return data
  }

  /// Refuses a body that has not come whole.
  func finish() throws(StorageError) {
    guard case .end = place else {
      throw StorageError(400, "IncompleteBody", "The request body terminated unexpectedly.")
    }
    guard size == announced else {
      throw StorageError(
        400, "IncompleteBody", "You did not provide the number of bytes specified by x-amz-decoded-content-length.")
    }
    guard value != nil else { throw Self.malformed("the trailer \(name) is missing") }
  }

  /// The next line without its end; nil if it has not come whole.
  private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(StorageError) -> String? {
    let part = rest.prefix { $0 != UInt8(ascii: "\n") }
    line += part
    rest = rest.dropFirst(part.count)
    guard line.count <= Self.longestLine else { throw Self.malformed("a line is too long") }
    guard rest.popFirst() != nil else { return nil }
    guard line.popLast() == UInt8(ascii: "\r") else { throw Self.malformed("a line does not end with CR and LF") }
    defer { line = [] }
    return String(decoding: line, as: UTF8.self)
  }

  private mutating func read(_ text: String) throws(StorageError) {
    switch place {
    case .length:
      guard let count = Int(text, radix: 16), count >= 0, !text.hasPrefix("+") else {
        throw Self.malformed("\(text) is no length of a chunk")
      }
      if let lastChunk, lastChunk < Self.least, count > 0 {
        throw StorageError(
          403, "InvalidChunkSizeError", "Only the last chunk is allowed to have a size less than 8192 bytes")
      }
      lastChunk = count
      place = count == 0 ? .trailers : .data(count)
    case .lineEnd:
      guard text.isEmpty else { throw Self.malformed("a chunk is longer than its length") }
      place = .length
    case .trailers:
      if text.isEmpty {
        place = .end
        return
      }
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[0].lowercased() == name, value == nil else {
        throw StorageError(
          400, "MalformedTrailerError", "The request contained trailing data that was not well-formed.")
      }
      value = parts[1].trimming { $0 == " " }
    case .data, .end: break
    }
  }

  private static func malformed(_ why: String) -> StorageError {
    StorageError(400, "InvalidRequest", "The body in chunks is not well-formed: \(why).")
  }
}

extension String {
  fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
    let start = self[...].drop(while: isLeftOut)
    return String(start.reversed().drop(while: isLeftOut).reversed())
  }
}
