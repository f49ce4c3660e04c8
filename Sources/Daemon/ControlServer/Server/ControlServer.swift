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

/// Serves the control socket: HTTP/1.1 with JSON on a Unix socket that listens already.
///
/// The socket's mode decides who may call; the caller's uid, which the kernel vouches for, goes with every command.
public struct ControlServer: Sendable {
  /// The bounds of a connection's use of the server.
  public struct Limits: Sendable {
    /// Connections at once. For one more, one of the process that has the most makes way (``ConnectionPlaces``). If none may, the new one
    /// is answered 503 and closed, or just closed where ``refusals`` are being answered.
    public var connections: Int
    /// Connections too many that are answered at once, so that a crowd does not use up the descriptors that files need.
    public var refusals: Int
    /// The longest time a peer may take to send a whole request, to take an answer, or to do nothing at all.
    public var peerPatience: Duration
    /// The time in which requests that are being answered may end after `run` was cancelled.
    public var stopPatience: Duration
    /// The time for the first request of a connection after `run` was cancelled.
    public var firstRequestPatience: Duration
    /// Streams of events at once, so that they never use up all connections; one more is answered 503. As many callers may
    /// wait for changes.
    public var eventStreams: Int
    /// The time between two comments in a stream of events.
    public var heartbeat: Duration

    /// Limits; without arguments those of the product.
    public init(
      connections: Int = 128, refusals: Int = 64, peerPatience: Duration = .seconds(30),
      stopPatience: Duration = .seconds(2), firstRequestPatience: Duration = .milliseconds(500), eventStreams: Int = 32,
      heartbeat: Duration = .seconds(15)
    ) {
      self.connections = connections
      self.refusals = refusals
      self.peerPatience = peerPatience
      self.stopPatience = stopPatience
      self.firstRequestPatience = firstRequestPatience
      self.eventStreams = eventStreams
      self.heartbeat = heartbeat
    }
  }

  private let descriptor: Int32
  private let limits: Limits
  private let handlers: ControlHandlers
  private let streams: EventStreams
  private let userName: @Sendable (UInt32) async -> String
  private let fleetUser: @Sendable () -> String?
  private let places: ConnectionPlaces

  /// A server for a Unix socket that is bound and listens, made by us or passed by systemd.
  ///
  /// - Parameters:
  ///   - descriptor: the socket. ``run()`` takes it over and closes it at its end.
  ///   - operations: the calls that the handlers make.
  ///   - userName: the name of a user id, or its digits. Called on each command; must not block.
  ///   - fleetUser: the user, by name or id, who may act for other people; nil for nobody.
  ///   - now: the time that relative times are reckoned from.
  ///   - report: told of each error that is the daemon's own, answered with 500.
  public init(
    descriptor: Int32, operations: any ControlOperations, limits: Limits = Limits(),
    userName: @escaping @Sendable (UInt32) async -> String,
    fleetUser: @escaping @Sendable () -> String? = { nil }, now: @escaping @Sendable () -> Timestamp,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.descriptor = descriptor
    self.limits = limits
    self.streams = EventStreams(limits.eventStreams)
    self.handlers = ControlHandlers(
      operations: operations, requests: IdempotentRequests(operations.requests, report: report), streams: streams,
      waits: ConnectionSlots(limits.eventStreams), now: now, report: report)
    self.places = ConnectionPlaces(limits.connections)
    self.userName = userName
    self.fleetUser = fleetUser
  }

  /// Serves until the task is cancelled. Then it stops listening, ends streams of events, closes idle connections at once
  /// (new ones after ``Limits/firstRequestPatience``), and lets requests that are being answered end within ``Limits/stopPatience``; what is left then is cut.
  ///
  /// - Throws: ``ListenerLost``, or what the system says, where the descriptor is not a listening socket.
  public func run() async throws {
    let quiescing = Quiescing(group: Self.eventLoops)
    // A task of its own, because cancelling `run` must not reach a command half way: its change may be durable
    // already, and its caller shall learn of it. The task is awaited here, so it never outlives `run`.
    let serving = Task { try await serve(quiescing) }
    do {
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        streams.endAll()
        quiescing.stop()
        Self.eventLoops.any().scheduleTask(in: TimeAmount(limits.stopPatience)) { serving.cancel() }
      }
    } catch is CancellationError {
      // The end that was asked for.
    }
    guard Task.isCancelled else { throw ListenerLost() }
  }

  /// The socket cannot be accepted from, so there is nothing to serve.
  public struct ListenerLost: Error {}

  /// The one thread that reads and writes all connections. It lives as long as the process, because channels hop to
  /// their event loop once more when they are let go.
  private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private func serve(_ quiescing: Quiescing) async throws {
    let logger = Logger(label: "control", factory: { _ in SwiftLogNoOpLogHandler() })
    let http = connectionHandler
    let listener = try await ServerBootstrap(group: Self.eventLoops)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Out of descriptors or memory: goes on after a second instead of ending or spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
          try channel.pipeline.syncOperations.addHandler(quiescing.handler(of: channel))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // Everything that is read at once is decoded at once, and a peer may send hundreds of requests in one piece.
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .bind(descriptor) { channel in http.setup(channel: channel, logger: logger) }
    quiescing.begin()
    // NIO has called listen(2) once more, with a number of its own. Who is behind a crowd waits, and is not turned away.
    UnixSocket.lengthenQueue(of: descriptor)
    let refusals = ConnectionSlots(limits.refusals)
    try await withThrowingDiscardingTaskGroup { connections in
      try await listener.executeThenClose { accepted in
        for try await connection in accepted {
          let isOneTooMany = !places.admit(connection.channel, of: await process(of: connection.channel))
          let isRefused = isOneTooMany && refusals.acquire()
          connections.addTask {
            if isRefused {
              await OverloadAnswer.sendAndClose(connection)
              refusals.giveBack()
            } else if isOneTooMany {
              await OverloadAnswer.close(connection)
            } else {
              await serve(connection, http, logger)
            }
          }
        }
      }
    }
  }

  /// The process that connected, which shares places with all its connections; nil if the kernel does not say.
  private func process(of channel: any Channel) async -> String? {
    do {
      let peer = try await SocketPeer.of(channel)
      return "\(peer.uid)/\(peer.pid)"
    } catch {
      return nil  // It has gone.
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
        let reply = try await handlers.answer(request) {
          let peer = try await SocketPeer.of(channel)
          let caller = Caller(uid: peer.uid, user: await userName(peer.uid))
          guard let person = request.headers[.onBehalfOf] else { return caller }
          return try FleetCaller(agent: caller, allowed: fleetUser())
            .acting(for: person, role: request.headers[.onBehalfRole])
        }
        switch reply {
        case .answer(let answer):
          let response = answer.response
          try await writer.write(
            response: response.head, body: request.method == .head ? ResponseBody() : response.body)
        case .events(let subscription, let place):
          await EventStream(channel: channel, heartbeat: limits.heartbeat, patience: patience)
            .run(subscription, in: place)
        }
      },
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          places.handler(closesRefused: false), OneRequestAtATime(), RequestDeadline(patience),
          FirstRequest(TimeAmount(limits.firstRequestPatience)),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 64)))
  }
}

/// Has the listener close and its connections end.
///
/// Not before the listener is bound: NIO does not bear a channel that closes while it is being registered.
private final class Quiescing: Sendable {
  private let helper: ServerQuiescingHelper
  private let state = Mutex((isBound: false, isStopping: false))

  init(group: any EventLoopGroup) { helper = ServerQuiescingHelper(group: group) }

  func handler(of channel: any Channel) -> any ChannelHandler { helper.makeServerChannelHandler(channel: channel) }

  /// Says that the listener is bound.
  func begin() {
    let isStopping = state.withLock { state in
      state.isBound = true
      return state.isStopping
    }
    if isStopping { helper.initiateShutdown(promise: nil) }
  }

  /// Asks for the end.
  func stop() {
    let isBound = state.withLock { state in
      state.isStopping = true
      return state.isBound
    }
    if isBound { helper.initiateShutdown(promise: nil) }
  }
}
