import Glibc
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that answers as a test tells it, and remembers what it was asked.
public final class LoopbackPeer: Sendable {
  /// A request as it came.
  public struct Request: Hashable, Sendable {
    /// The method.
    public var method: String
    /// Path and query as they came.
    public var target: String
    /// Names and values of the headers, in order.
    public var headers: [[String]]
    /// The body.
    public var body: [UInt8]

    /// The value of the first header with this name, whatever its case.
    public subscript(name: String) -> String? {
      headers.first { $0[0].lowercased() == name.lowercased() }?[1]
    }
  }

  /// What comes back.
  public enum Reply: Sendable {
    /// An answer; `Content-Length` is added unless it is given.
    case answer(Int, [String: String] = [:], String = "")
    /// The connection is closed without an answer.
    case cut
    /// No answer comes, until the client or the peer goes.
    case hold
    /// These very bytes come, be they HTTP or not, and then what is said.
    case raw([UInt8], RawEnd)
  }

  /// What follows on the bytes of a ``Reply/raw(_:_:)``.
  public enum RawEnd: Sendable {
    /// The connection is closed.
    case close
    /// The connection is reset, so that the client loses what it has not read yet.
    case reset
    /// The next request is waited for.
    case next
    /// Nothing, until the client or the peer goes.
    case hold
    /// These bytes again and again, until the client or the peer goes.
    case forever([UInt8])
    /// These bytes again and again, four of them each second, until the client or the peer goes.
    case drip([UInt8])
  }

  private struct Memory {
    var requests: [Request] = []
    var connections: Set<Int32> = []
    var isClosed = false
  }

  /// The port it listens on.
  public let port: Int
  private let listener: Int32
  private let isListening: Bool
  private let memory: Box

  /// The requests so far.
  public var requests: [Request] { memory.contents.withLock(\.requests) }
  /// `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Starts to listen. The closures are called for each request, on a thread of its connection; they may block.
  /// - Parameters:
  ///   - onHead: called before the body is read, with a request that has none yet.
  ///   - isListening: false to hold the port and refuse every connection to it.
  ///   - reply: what to answer.
  public init(
    onHead: @escaping @Sendable (Request) -> Void = { _ in }, isListening: Bool = true,
    _ reply: @escaping @Sendable (Request) -> Reply
  ) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw PeerError(call: "socket", code: errno) }
    self.listener = listener
    self.isListening = isListening
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard bound, !isListening || listen(listener, 64) == 0 else { throw PeerError(call: "bind", code: errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
    let box = Box()
    memory = box
    guard isListening else { return }
    try Self.startThread {
      // Closed here and not in deinit: the number could be another peer's while this thread still accepts on it.
      defer { close(listener) }
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0, errno != EINVAL { continue }
        guard connection >= 0 else { return }  // shut down
        guard box.add(connection) else {
          close(connection)
          return
        }
        do {
          try Self.startThread { Self.serve(connection, box, onHead, reply) }
        } catch {
          box.remove(connection)
        }
      }
    }
  }

  deinit {
    if isListening { shutdown(listener, Int32(SHUT_RDWR)) } else { close(listener) }
    memory.shutDown()
  }

  private static func serve(_ connection: Int32, _ box: Box, _ onHead: (Request) -> Void, _ reply: (Request) -> Reply) {
    defer { box.remove(connection) }
    var pending: [UInt8] = []
    while let request = read(connection, &pending, onHead) {
      box.contents.withLock { $0.requests.append(request) }
      switch reply(request) {
      case .answer(let status, let headers, let body):
        var fields = headers
        if fields["Content-Length"] == nil, status != 204 { fields["Content-Length"] = String(body.utf8.count) }
        let lines = ["HTTP/1.1 \(status) Whatever"] + fields.map { "\($0.key): \($0.value)" }
        let answer = lines.joined(separator: "\r\n") + "\r\n\r\n" + (request.method == "HEAD" ? "" : body)
        guard write(connection, Array(answer.utf8)) else { return }
      case .cut: return
      case .hold:
        while receive(connection, &pending) {}
        return
      case .raw(let bytes, let end):
        guard write(connection, bytes), goesOn(connection, end, &pending) else { return }
      }
    }
  }

  /// What follows on raw bytes; false if that is the connection's end.
  private static func goesOn(_ connection: Int32, _ end: RawEnd, _ pending: inout [UInt8]) -> Bool {
    switch end {
    case .close: return false
    case .reset:
      var hard = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      return false
    case .next: return true
    case .hold:
      while receive(connection, &pending) {}
      return false
    case .forever(let bytes):
      while write(connection, bytes) {}
      return false
    case .drip(let bytes):
      var index = 0
      while !hasClosed(connection, within: 250), write(connection, [bytes[index % bytes.count]]) { index += 1 }
      return false
    }
  }

  private static func hasClosed(_ connection: Int32, within milliseconds: Int32) -> Bool {
    var end = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&end, 1, milliseconds) > 0
  }

  private static func read(_ connection: Int32, _ pending: inout [UInt8], _ onHead: (Request) -> Void) -> Request? {
    let end = Array("\r\n\r\n".utf8)
    while pending.firstRange(of: end) == nil {
      guard receive(connection, &pending) else { return nil }
    }
    guard let range = pending.firstRange(of: end) else { return nil }
    let lines = String(decoding: pending[..<range.lowerBound], as: UTF8.self).split(separator: "\r\n")
    pending.removeFirst(range.upperBound)
    guard let first = lines.first else { return nil }
    let words = first.split(separator: " ")
    guard words.count == 3 else { return nil }
    let headers = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return [String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " })]
    }
    var request = Request(method: String(words[0]), target: String(words[1]), headers: headers, body: [])
    onHead(request)
    let length = request["Content-Length"].flatMap { Int($0) } ?? 0
    while pending.count < length {
      guard receive(connection, &pending) else { return nil }
    }
    request.body = Array(pending.prefix(length))
    pending.removeFirst(length)
    return request
  }

  private static func receive(_ connection: Int32, _ pending: inout [UInt8]) -> Bool {
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = unsafe max(0, recv(connection, buffer.baseAddress, buffer.count, 0))
    }
    pending += chunk
    return !chunk.isEmpty
  }

  private static func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  private static func startThread(_ body: @escaping @Sendable () -> Void) throws {
    let context = unsafe Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    guard code == 0 else {
      unsafe Unmanaged<ThreadBody>.fromOpaque(context).release()
      throw PeerError(call: "pthread_create", code: code)
    }
    pthread_detach(thread)
  }

  /// What the threads share. It outlives the peer until the last of them has ended.
  private final class Box: Sendable {
    let contents = Mutex(Memory())

    func add(_ connection: Int32) -> Bool {
      contents.withLock {
        if $0.isClosed { return false }
        $0.connections.insert(connection)
        return true
      }
    }

    func remove(_ connection: Int32) {
      contents.withLock {
        $0.connections.remove(connection)
        close(connection)
      }
    }

    func shutDown() {
      contents.withLock {
        $0.isClosed = true
        for connection in $0.connections { shutdown(connection, Int32(SHUT_RDWR)) }
      }
    }
  }

  private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// A system call that failed where a test needs it.
public struct PeerError: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  /// The call and its errno.
  public var description: String { "\(call): errno \(code)" }
}
