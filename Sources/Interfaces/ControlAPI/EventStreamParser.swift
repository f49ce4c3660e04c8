/// Reads `text/event-stream` (WHATWG HTML, section 9.2.6 "Interpreting an event stream") as the daemon writes it: its lines end with a
/// line feed alone.
package struct EventStreamParser {
  /// The content of the lines before a blank line: an event, or only an id.
  package struct Block: Hashable {
    /// The event's type; `message` if the block names none.
    package var type = "message"
    /// The last id of the stream so far; it stays until another one comes.
    package var lastEventID = ""
    /// The lines of data, with a line feed between; nil if there are none, and then the block is no event.
    package var data: String?
  }

  /// An error: a line or an event is longer than the limit.
  package struct TooLong: Error {}

  private let limit: Int
  private var line: [UInt8] = []
  private var block = Block()
  private var isWorthTelling = false
  private var size = 0

  package init(limit: Int = 1 << 20) { self.limit = limit }

  package mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Block] {
    var blocks: [Block] = []
    for byte in bytes {
      guard byte != UInt8(ascii: "\n") else {
        if let ended = endLine() { blocks.append(ended) }
        continue
      }
      guard size < limit else { throw TooLong() }
      size += 1
      line.append(byte)
    }
    return blocks
  }

  private mutating func endLine() -> Block? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer {
        block = Block(lastEventID: block.lastEventID)
        isWorthTelling = false
        size = 0
      }
      return isWorthTelling ? block : nil
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    guard colon != line.startIndex else {
      size -= line.count  // a comment is not kept
      return nil
    }
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    handle(String(decoding: line[..<colon], as: UTF8.self), value)
    return nil
  }

  private mutating func handle(_ field: String, _ value: ArraySlice<UInt8>) {
    let text = String(decoding: value, as: UTF8.self)
    switch field {
    case "event": block.type = text.isEmpty ? "message" : text
    case "data":
      block.data = block.data.map { $0 + "\n" + text } ?? text
      isWorthTelling = true
    case "id" where !value.contains(0):
      block.lastEventID = text
      isWorthTelling = true
    default: break  // `retry` is for browsers; others are to be ignored
    }
  }
}
