import HTTPTransfer
import Jobs
import LoopbackPeer
import Simulation
import Synchronization

/// A model behind a real socket, so that the product's own stages can talk to it.
final class ModelPeer: Sendable {
  private struct Contents {
    var side: Server
    /// The number of requests whose answers still come; nil for all.
    var answers: Int?
  }

  /// The models' clock, and that of the stages in these tests.
  static let time = Timestamp(seconds: 1_795_000_000)

  private let contents: Box
  private let peer: LoopbackPeer

  var url: String { peer.url }
  var storage: ModelStorage? { contents.value.withLock { $0.side.storage } }
  var backend: ModelBackend? { contents.value.withLock { $0.side.backend } }

  convenience init(_ options: ModelStorage.Options) throws { try self.init(.storage(ModelStorage(options))) }

  init(_ service: Server.Service) throws {
    let contents = Box(Contents(side: Server(host: "peer", service)))
    self.contents = contents
    peer = try LoopbackPeer { Self.reply(to: $0, contents) }
  }

  /// The answers are lost after so many that come; the model acts on all. A single one would not do: libcurl repeats a request by
  /// itself whose kept connection turns out to be dead.
  func loseAnswers(after count: Int = 0) { contents.value.withLock { $0.answers = count } }

  /// No answer is lost any more.
  func heal() { contents.value.withLock { $0.answers = nil } }

  /// Changes the model.
  func change(_ change: (inout Server) -> Void) { contents.value.withLock { change(&$0.side) } }

  /// The operations of all requests so far, in order.
  var operations: [String] { (storage?.requests ?? backend?.requests ?? []).map(\.operation) }

  private static func reply(to request: LoopbackPeer.Request, _ contents: Box) -> LoopbackPeer.Reply {
    let headers = request.headers.map { FarHeader($0[0], $0[1]) }
    guard
      let far = FarRequest(
        method: request.method, url: "http://peer" + request.target, headers: headers, body: request.body)
    else { return .cut }
    let (answer, isLost) = contents.value.withLock { contents in
      let isLost = contents.answers == 0
      contents.answers = contents.answers.map { max(0, $0 - 1) }
      return (contents.side.act(on: far, now: .zero, wall: time), isLost)
    }
    if isLost { return .cut }
    var fields: [String: String] = [:]
    for header in answer.headers { fields[header.name] = header.value }
    return .answer(answer.status, fields, String(decoding: answer.body, as: UTF8.self))
  }

  private final class Box: Sendable {
    let value: Mutex<Contents>
    init(_ contents: Contents) { value = Mutex(contents) }
  }
}
