import HTTPTransfer
import Jobs
import LoopbackPeer
import Simulation
import Synchronization

/// A model behind a real socket, so that the product's own stages can talk to it.
final class ModelPeer: Sendable {
  /// The models' clock, and that of the stages in these tests.
  static let time = Timestamp(seconds: 1_795_000_000)

  private let side: Box
  private let peer: LoopbackPeer

  var url: String { peer.url }
  var storage: ModelStorage? { side.value.withLock(\.storage) }
  var backend: ModelBackend? { side.value.withLock(\.backend) }

  convenience init(_ options: ModelStorage.Options) throws { try self.init(.storage(ModelStorage(options))) }

  init(_ service: Server.Service) throws {
    let side = Box(Server(host: "peer", service))
    self.side = side
    peer = try LoopbackPeer { Self.reply(to: $0, side) }
  }

  /// Changes the model.
  func change(_ change: (inout Server) -> Void) { side.value.withLock { change(&$0) } }

  private static func reply(to request: LoopbackPeer.Request, _ side: Box) -> LoopbackPeer.Reply {
    let headers = request.headers.map { FarHeader($0[0], $0[1]) }
    guard
      let far = FarRequest(
        method: request.method, url: "http://peer" + request.target, headers: headers, body: request.body)
    else { return .cut }
    let answer = side.value.withLock { $0.act(on: far, now: .zero, wall: time) }
    var fields: [String: String] = [:]
    for header in answer.headers { fields[header.name] = header.value }
    return .answer(answer.status, fields, String(decoding: answer.body, as: UTF8.self))
  }

  private final class Box: Sendable {
    let value: Mutex<Server>
    init(_ server: Server) { value = Mutex(server) }
  }
}
