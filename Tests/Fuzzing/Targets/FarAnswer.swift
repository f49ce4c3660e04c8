import HTTPTransfer

/// An answer of a server, as an input has it: status line and header lines, an empty line, the body.
enum FarAnswer {
  /// nil where the head is over what is taken.
  static func parse(_ bytes: [UInt8]) -> HTTPResponse? {
    var head = ResponseHead()
    var rest = bytes[...]
    while !rest.isEmpty, !head.isComplete {
      let line = rest.prefix { $0 != 0x0A } + (rest.contains(0x0A) ? [0x0A] : [])
      rest = rest.dropFirst(line.count)
      guard head.add(line) else { return nil }
    }
    promise(head.headers.all.count <= ResponseHead.limit, "more header fields than there are bytes")
    promise((0...999).contains(head.status), "the status \(head.status)")
    return HTTPResponse(status: head.status, headers: head.headers, body: Array(rest))
  }
}
