/// Takes a body in chunks apart by the rules of "Signature calculations for trailing headers (chunked uploads)" in the S3 API
/// reference, and by nothing of the code that makes it.
struct FrameDecoder {
  struct Fault: Error, Equatable { var words: String }

  /// The bytes within the frame.
  private(set) var data: [UInt8] = []
  /// The lengths of the chunks, without the last one of no bytes.
  private(set) var chunks: [Int] = []
  /// Names and values behind the bytes.
  private(set) var trailers: [[String]] = []

  init(_ body: [UInt8]) throws {
    var rest = body[...]
    func line() throws -> String {
      guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D else {
        throw Fault(words: "no line")
      }
      defer { rest = rest[(end + 1)...] }
      return String(decoding: rest[..<(end - 1)], as: UTF8.self)
    }
    while true {
      let text = try line()
      guard let count = Int(text, radix: 16) else { throw Fault(words: "no length: \(text)") }
      if count == 0 { break }
      guard rest.count >= count else { throw Fault(words: "a chunk is cut") }
      data += rest.prefix(count)
      chunks.append(count)
      rest = rest.dropFirst(count)
      guard try line().isEmpty else { throw Fault(words: "a chunk does not end") }
    }
    while true {
      let text = try line()
      if text.isEmpty { break }
      trailers.append(text.split(separator: ":", maxSplits: 1).map(String.init))
    }
    guard rest.isEmpty else { throw Fault(words: "\(rest.count) bytes behind the end") }
    guard chunks.dropLast().allSatisfy({ $0 >= 8192 }) else { throw Fault(words: "a chunk is too short") }
  }
}
