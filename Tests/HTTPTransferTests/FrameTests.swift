import ChildProcesses
import Foundation
import HTTPTransfer
import LoopbackPeer
import Synchronization
import Testing

/// Bodies whose file has bytes of a frame around and between its own.
@Suite(.slot) struct FrameTests {
  /// Each `portion` bytes of the file between brackets; at the end how often sending began and how many bytes it saw.
  private final class Brackets: BodyFrame {
    private struct Seen {
      var begun = 0
      var count = 0
    }

    private let count: Int64
    private let portion: Int64
    private let seen = Mutex(Seen())

    init(count: Int64, portion: Int64) {
      self.count = count
      self.portion = portion
    }

    private var runs: Int64 { (count + portion - 1) / portion }
    private static let tail = 16
    var length: Int64 { count + 2 * runs + Int64(Self.tail) }

    func begin() {
      seen.withLock {
        $0.begun += 1
        $0.count = 0
      }
    }

    func add(_ bytes: RawSpan) { seen.withLock { $0.count += bytes.byteCount } }

    func piece(at position: Int64) -> BodyPiece {
      let run = position / (portion + 2)
      guard run < runs, position < count + 2 * runs else {
        let tail = seen.withLock { "\($0.begun):\($0.count)" }
        let padded = Array((tail + String(repeating: ".", count: Self.tail - tail.utf8.count)).utf8)
        return .frame(Array(padded[Int(position - count - 2 * runs)...]))
      }
      let own = min(portion, count - run * portion)
      let place = position - run * (portion + 2)
      if place == 0 { return .frame(Array("[".utf8)) }
      return place <= own ? .file(offset: run * portion + place - 1, count: own - place + 1) : .frame(Array("]".utf8))
    }

    static func text(_ bytes: Data, portion: Int, begun: Int) -> [UInt8] {
      var text: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: portion) {
        text += Array("[".utf8) + bytes[start..<min(start + portion, bytes.count)] + Array("]".utf8)
      }
      let tail = "\(begun):\(bytes.count)"
      return text + Array(tail.utf8) + Array(repeating: UInt8(ascii: "."), count: Self.tail - tail.utf8.count)
    }
  }

  @Test(arguments: [(0, 10), (1, 10), (10, 10), (11, 10), (300_000, 70_000), (3 << 20, 1 << 20), (200_000, 1)])
  func sendsFrameAndFileInOrder(_ count: Int, _ portion: Int) async throws {
    for isLarge in [false, true] {
      let peer = try LoopbackPeer { _ in .answer(200) }
      let file = try SampleFile(bytes: max(count + 5, 1))
      let sent = SentBytes()
      var request = HTTPRequest(
        method: "PUT", url: peer.url,
        body: .framed(try file.body(), offset: 5, Brackets(count: Int64(count), portion: Int64(portion))))
      request.isLarge = isLarge
      request.sent = sent
      let response = try await Transport().send(request)
      let bytes = try file.bytes().dropFirst(5).prefix(count)
      let expected = Brackets.text(Data(bytes), portion: portion, begun: 1)
      #expect(peer.requests.first?.body == expected)
      #expect(peer.requests.first?["Content-Length"] == "\(expected.count)")
      #expect(response.bytesSent == expected.count)
      #expect(sent.value == count, "bytes of the frame do not count")
    }
  }

  /// The server drops a kept connection, so libcurl sends the request again: the frame begins anew.
  @Test func resentBodyRestartsFrame() async throws {
    let number = Atomic<Int>(0)
    let peer = try LoopbackPeer { _ in
      number.add(1, ordering: .relaxed)
      return number.load(ordering: .relaxed) == 2 ? .cut : .answer(200)
    }
    let file = try SampleFile(bytes: 200_000)
    let bytes = try file.bytes()
    let transport = try Transport(maxConnections: 1)
    let sent = SentBytes()
    for _ in 0..<2 {
      var request = HTTPRequest(
        method: "PUT", url: peer.url,
        body: .framed(try file.body(), offset: 0, Brackets(count: 200_000, portion: 65_536)))
      request.sent = sent
      _ = try await transport.send(request)
    }
    let bodies = peer.requests.map(\.body)
    #expect(
      bodies == [1, 1, 2].map { Brackets.text(bytes, portion: 65_536, begun: $0) })
    #expect(sent.value == 400_000)
  }

  @Test func shortFileFailsFramedBody() async throws {
    let peer = try LoopbackPeer { _ in .answer(200) }
    let file = try SampleFile(bytes: 1000)
    let sent = SentBytes()
    let error = try await failure { () async throws(TransferError) in
      var request = HTTPRequest(
        method: "PUT", url: peer.url,
        body: .framed(try file.body(), offset: 0, Brackets(count: 1001, portion: 10_000)))
      request.sent = sent
      return try await Transport().send(request)
    }
    #expect(error.kind == .readFailed)
    #expect(error.words.contains("1 bytes before"))
    #expect(sent.value == 0)
    #expect(peer.requests.isEmpty)
  }

  /// Leave to send so many bytes a second is asked for those of the frame too.
  @Test func pacedBodyArrivesWhole() async throws {
    let peer = try LoopbackPeer { _ in .answer(200) }
    let file = try SampleFile(bytes: 300_000)
    let transport = try Transport()
    await transport.limit(inFlight: 4, sendLimit: 4 << 20)
    var request = HTTPRequest(
      method: "PUT", url: peer.url, body: .framed(try file.body(), offset: 0, Brackets(count: 300_000, portion: 1000)))
    request.isPaced = true
    _ = try await transport.send(request)
    let bytes = try file.bytes()
    #expect(peer.requests.first?.body == Brackets.text(bytes, portion: 1000, begun: 1))
  }
}
