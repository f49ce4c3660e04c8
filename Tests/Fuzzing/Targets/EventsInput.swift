import ControlAPI

/// A stream of events means the same however it is cut into pieces.
enum EventsInput {
  static func take(_ bytes: [UInt8]) {
    var whole = EventStreamParser(limit: 1 << 12)
    var pieces = EventStreamParser(limit: 1 << 12)
    let atOnce = try? whole.read(bytes)
    var oneByOne: [EventStreamParser.Block]? = []
    for byte in bytes {
      guard let blocks = try? pieces.read(CollectionOfOne(byte)) else {
        oneByOne = nil
        break
      }
      oneByOne? += blocks
    }
    promise(atOnce == oneByOne, "pieces of a stream are read otherwise than the whole")
    for block in atOnce ?? [] {
      // what is no event's message is an error in words
      if let data = block.data { _ = try? EventMessage(bytes: Array(data.utf8)) }
    }
  }
}
