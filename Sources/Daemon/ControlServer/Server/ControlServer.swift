import ControlAPI
import HTTPTypes
import HummingbirdCore
public import Jobs
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import Synchronization
import SystemdLink
import WebPages

/// Serves the control API: HTTP/1.1 with JSON on a Unix socket that listens already, or at an address.
///
/// The mode of a daemon's socket decides who may call; the caller's uid, which the kernel vouches for, goes with every command.
public struct ControlServer: Sendable {
  /// The bounds of what connections may use.
  public struct Limits: Sendable {
    /// Connections at once. One more replaces one that is idle (``ConnectionTable``).
    public var connections: Int
    /// The longest time that a peer may take to send a whole request or to read an answer, or for which a connection may be idle.
    public var peerPatience: Duration
    /// The time in which requests in progress may end after `run` was cancelled.
    public var stopPatience: Duration
    /// The time for the first request of a connection after `run` was cancelled.
    public var firstRequestPatience: Duration
    /// Streams of events at once, so that they never use up all connections; one more is answered 503. The number of callers that
    /// may wait for changes is the same.
    public var eventStreams: Int
    /// The time between two comments in a stream of events.
    public var heartbeat: Duration

    /// Creates limits; the defaults are those of the product.
    public init(
      connections: Int = 128, peerPatience: Duration = .seconds(30), stopPatience: Duration = .seconds(2),
      firstRequestPatience: Duration = .milliseconds(500), eventStreams: Int = 32, heartbeat: Duration = .seconds(15)
    ) {
      (self.connections, self.eventStreams) = (connections, eventStreams)
      (self.peerPatience, self.stopPatience, self.heartbeat) = (peerPatience, stopPatience, heartbeat)
      self.firstRequestPatience = firstRequestPatience
    }

    /// Returns the same limits with no more connections than there are descriptors for. Streams and waits take a half of them at most.
    public func within(_ most: Int) -> Limits {
      var limits = self
      limits.connections = min(connections, most)
      limits.eventStreams = min(eventStreams, most / 4)
      return limits
    }
  }

  package enum Place: Sendable {
    /// A bound Unix socket, which the server closes at its end.
    case socket(Int32)
    /// A name or an address, and a port.
    case address(String, Int)
  }

  private let place: Place
  private let limits: Limits
  private let handlers: ControlHandlers
  private let streams: OpenStreams
  private let places: ConnectionTable

  /// Creates a server for a Unix socket that is bound and listens, opened by the daemon or passed by systemd.
  /// - Parameters:
  ///   - descriptor: the socket. ``run()`` owns it from then on and closes it at its end.
  ///   - userName: returns the name of a user id, or its digits. Called for each command; must not block.
  ///   - fleetUser: returns the user, by name or id, who may act for other people; nil for nobody.
  ///   - report: called with each error of the daemon's own, which is answered with 500.
  public init(
    descriptor: Int32, operations: any ControlOperations, limits: Limits = Limits(),
    userName: @escaping @Sendable (UInt32) async -> String,
    fleetUser: @escaping @Sendable () -> String? = { nil }, now: @escaping @Sendable () -> Timestamp,
    report: @escaping @Sendable (String) -> Void
  ) {
    let access = ControlAccess(fleet: nil) { fields, channel in
      let peer = try await SocketPeer.of(channel)
      let caller = Caller(uid: peer.uid, user: await userName(peer.uid))
      guard let person = fields[.onBehalfOf] else { return caller }
      return try caller.acting(for: person, role: fields[.onBehalfRole], allowed: fleetUser())
    }
    self.init(at: .socket(descriptor), operations: operations, access: access, limits: limits, now: now, report: report)
  }

  package init(
    at place: Place, operations: any ControlOperations, access: ControlAccess, limits: Limits,
    now: @escaping @Sendable () -> Timestamp, report: @escaping @Sendable (String) -> Void
  ) {
    self.place = place
    self.limits = limits
    self.streams = OpenStreams(limits.eventStreams)
    self.handlers = ControlHandlers(
      operations: operations, access: access, streams: streams,
      waits: ConnectionSlots(limits.eventStreams), now: now, report: report)
    self.places = ConnectionTable(limits.connections)
  }

  /// Serves until the task is cancelled. Then it stops listening, ends streams of events, closes idle connections at once (new
  /// ones after ``Limits/firstRequestPatience``), and lets requests in progress end within ``Limits/stopPatience``. After that it
  /// closes all remaining connections.
  /// - Parameter ready: called when it listens.
  /// - Throws: ``ListenerLost`` if the listener ends by itself, ``CannotListen`` if the address cannot be listened at, or the system's error
  ///   if the descriptor is not a listening socket.
  public func run(ready: @escaping @Sendable () -> Void = {}) async throws {
    let quiescing = Quiescing(group: Self.eventLoops)
    // A separate task, because a cancellation of `run` must not interrupt a command: its change may be durable already, and its
    // caller has to get the answer. The task is awaited here, so it never outlives `run`.
    let serving = Task { try await serve(quiescing, ready) }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        streams.endAll()
        quiescing.stop()
        Self.eventLoops.any().scheduleTask(in: TimeAmount(limits.stopPatience)) { serving.cancel() }
      }
    } catch is CancellationError {
      // The end of a cancelled server.
    }
    guard Task.isCancelled else { throw ListenerLost() }
  }

  /// An error: the socket accepts no connections, so there is nothing to serve.
  public struct ListenerLost: Error {}

  package struct CannotListen: Error, CustomStringConvertible {
    package let description: String
  }

  /// The one thread that reads and writes all connections. It lives as long as the process, because channels run a last task on
  /// their event loop when they are released.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private func serve(_ quiescing: Quiescing, _ ready: @Sendable () -> Void) async throws {
    let logger = Logger(label: "control", factory: { _ in SwiftLogNoOpLogHandler() })
    let http = connectionHandler
    let bootstrap = ServerBootstrap(group: Self.eventLoops)
      .serverChannelOption(.backlog, value: UnixSocket.longestQueue)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Without descriptors or memory, it accepts again after a second instead of ending or spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
          try channel.pipeline.syncOperations.addHandler(quiescing.handler(of: channel))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // The bytes of one read are decoded at once, and a peer may send hundreds of requests in one piece.
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .childChannelOption(.maxMessagesPerRead, value: 1)
    let listener: NIOAsyncChannel<HTTP1Channel.Value, Never>
    do {
      switch place {
      case .socket(let descriptor):
        listener = try await bootstrap.bind(descriptor) { channel in http.setup(channel: channel, logger: logger) }
      case .address(let host, let port):
        listener = try await bootstrap.bind(host: host, port: port) { channel in
          http.setup(channel: channel, logger: logger)
        }
      }
    } catch {
      guard case .address(let host, let port) = place else { throw error }
      throw CannotListen(description: "cannot listen at \(host):\(port); another program may: \(error)")
    }
    quiescing.begin()
    ready()
    // NIO has called listen(2) once more, with its own queue length. With a long queue, callers behind a crowd wait instead of
    // being refused.
    if case .socket(let descriptor) = place { UnixSocket.lengthenQueue(of: descriptor) }
    try await withThrowingDiscardingTaskGroup { connections in
      try await listener.executeThenClose { accepted in
        for try await connection in accepted {
          connections.addTask { await serve(connection, http, logger) }
        }
      }
    }
  }

  private func serve(_ connection: HTTP1Channel.Value, _ http: HTTP1Channel, _ logger: Logger) async {
    connection.channel.triggerUserOutboundEvent(FirstRequest.Served(), promise: nil)
    await withTaskCancellationHandler {
      await http.handle(value: connection, logger: logger)
    } onCancel: {
      connection.channel.close(promise: nil)
    }
  }

  private var connectionHandler: HTTP1Channel {
    let patience = TimeAmount(limits.peerPatience)
    return HTTP1Channel(
      responder: { request, writer, channel in
        let reply = try await handlers.answer(request) { try await handlers.access.caller(request.headers, channel) }
        switch reply {
        case .answer(let answer):
          let response = answer.response
          try await writer.write(
            response: response.head, body: request.method == .head ? ResponseBody() : response.body)
        case .events(let subscription, let place, let texts):
          await EventStream(channel: channel, heartbeat: limits.heartbeat, patience: patience, texts: texts)
            .run(subscription, in: place)
        }
      },
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          places.handler(patience: patience), FirstRequest(TimeAmount(limits.firstRequestPatience)),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 64)))
  }
}

/// Closes the listener and ends its connections.
///
/// It waits until the listener is bound: NIO fails if a channel closes while it is being registered.
private final class Quiescing: Sendable {
  private let helper: ServerQuiescingHelper
  private let state = Mutex((isBound: false, isStopping: false))

  init(group: any EventLoopGroup) { helper = ServerQuiescingHelper(group: group) }

  func handler(of channel: any Channel) -> any ChannelHandler { helper.makeServerChannelHandler(channel: channel) }

  func begin() {
    let isStopping = state.withLock { state in
      state.isBound = true
      return state.isStopping
    }
    if isStopping { helper.initiateShutdown(promise: nil) }
  }

  /// Ends the listener, at once or as soon as it is bound.
  func stop() {
    let isBound = state.withLock { state in
      state.isStopping = true
      return state.isBound
    }
    if isBound { helper.initiateShutdown(promise: nil) }
  }
}
