public import Linux

/// Sends HTTP/1.1 requests by libcurl, many at a time, over connections that are kept and used again.
///
/// The actor's executor is one thread of its own, which owns libcurl's multi handle. At rest it sleeps without
/// waking. Redirects are never followed, certificates always verified, proxies taken from the usual variables
/// (`https_proxy`, `no_proxy` …) unless a request names its own (``HTTPRequest/proxy``). The thread ends when the last reference to an idle transport is gone.
///
/// A kept connection may have been closed by the server just when it is used again. If not one byte of an answer
/// came, libcurl sends the request once more over a new connection, by itself. RFC 9110, 9.2.2, allows this only for
/// requests that may be repeated; for others, set ``HTTPRequest/mayBeRepeated`` to false. A registration may be
/// repeated because it carries an idempotency key, an upload because it puts the same bytes under the same key.
public actor Transport {
  private nonisolated let thread: LoopThread
  private nonisolated let mail: TransferMail
  /// The transfer thread as a place for tasks that mostly send requests. What runs there must not block.
  public nonisolated let tasks: any TaskExecutor
  /// Gone after ``shutdown()``.
  private var multi: TransferLine?
  private var streams: [UInt64: StreamBuffer] = [:]
  private var lastID: UInt64 = 0

  /// The transfer thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// Sets libcurl up and starts the thread.
  ///
  /// At most `inFlight` requests are in flight; the default is `maxConnections`. Further requests wait their turn.
  /// Requests with a long body leave half of the places to others (``HTTPRequest/isLarge``). The bodies of requests
  /// that are paced go out at `sendLimit` bytes a second, all of them together. Throws ``TransferError/Kind/other`` or
  /// ``TransferError/Kind/outOfMemory`` if that cannot be had.
  ///
  /// On a machine of a simulation, its ``NetworkWorld`` sends the requests.
  public init(
    maxConnections: Int = 256, inFlight: Int? = nil, sendLimit: Int64? = nil, on machine: Machine = .system
  ) throws(TransferError) {
    // All of it before the thread runs its first job: a job that met no multi handle would hang for ever.
    let thread: LoopThread
    do throws(ThreadError) { thread = try LoopThread("transfer", on: machine) } catch { throw TransferError(error) }
    let mail = TransferMail(to: thread)
    self.thread = thread
    self.mail = mail
    tasks = thread.tasks
    if let network = machine.world as? any NetworkWorld {
      let ends = SimulatedTransfers.Ends()
      multi = SimulatedTransfers(
        network, thread, ends, inFlight: max(1, inFlight ?? maxConnections), sendLimit: sendLimit)
      ends.connect { [weak self] id, result in self?.assumeIsolated { $0.ended(id, result) } }
      try start()
      return
    }
    multi = try MultiHandle(
      maxConnections: max(1, maxConnections), inFlight: max(1, inFlight ?? maxConnections),
      sendLimit: sendLimit, bell: thread.bell)
    try start()
  }

  private nonisolated func start() throws(TransferError) {
    let thread = self.thread
    do throws(ThreadError) {
      try thread.start(
        stackSize: 4 << 20, round: { [weak self] in self?.assumeIsolated { _ = $0.work() } },
        { [weak self] in
          while Self.workUntilIdle(self, thread) {
            // No reference is held in this sleep, so that the transport can go.
            if thread.mayFallAsleep() { thread.sleep() }
          }
        })
    } catch {
      throw TransferError(error)
    }
  }

  /// Takes note of the end of a request in a simulation.
  private func ended(_ id: UInt64, _ result: Result<HTTPResponse, TransferError>) {
    (multi as? SimulatedTransfers)?.end(id, result)
  }

  deinit { mail.requestShutdown() }

  /// Has the transfer thread run something between two of its steps, to see whether it still makes progress.
  public nonisolated func comeBy(_ body: @escaping @Sendable () -> Void) {
    Task(executorPreference: tasks) { await self.run(body) }
  }

  private func run(_ body: @Sendable () -> Void) { body() }

  /// Sends a request and waits for the whole answer, whatever its status.
  ///
  /// An answer of 300 or above counts as soon as its head is complete, even if it came before the request was wholly
  /// sent or its body was cut. A body that goes on far beyond the limit is cut, and its connection with it.
  /// Cancelling the task cuts the transfer at once. Throws ``TransferError``.
  public func send(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    try request.check()
    return try await send(request, in: try await place(for: request.traits))
  }

  /// Waits until a request's turn has come, builds it and sends it: see ``DeferredRequest``.
  ///
  /// All of it runs here, so that the caller's task comes here once. Throws what building throws, or a ``TransferError``.
  public func send(
    _ traits: RequestTraits, built build: @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    let place = try await place(for: traits)
    let request: HTTPRequest
    do {
      request = try await build()
    } catch {
      release(place)
      throw error
    }
    return try await send(request, in: place)
  }

  /// A place among the requests in flight. Whoever has one begins a transfer in it, or gives it back.
  struct Place {
    fileprivate let id: RequestQueue.ID
  }

  /// Waits for a place. Throws ``TransferError``.
  func place(for traits: RequestTraits) async throws(TransferError) -> Place {
    let id = try admit()
    if multi?.enter(id, traits) == true { return Place(id: id) }
    let mail = mail
    let refusal = await withTaskCancellationHandler {
      await self.turn(id, traits)
    } onCancel: {
      mail.cancel(id)
    }
    if let refusal { throw refusal }
    return Place(id: id)
  }

  /// Gives a place back in which nothing was begun.
  func release(_ place: Place) { multi?.release(place.id) }

  /// Sends a request in the place that it was given.
  func send(_ request: HTTPRequest, in place: Place) async throws(TransferError) -> HTTPResponse {
    try check(request, in: place)
    return try await cuttable(place.id) { continuation in
      self.begin(Transfer(id: place.id, request: request, sink: .collect(continuation)))
    }
  }

  /// Sends a request and waits for the head of the answer; its body comes as chunks, at the pace they are taken.
  ///
  /// Up to 256 KiB are buffered, then the server has to wait. ``HTTPRequest/bodyLimit`` does not apply. Letting go
  /// of the stream cuts the transfer. Throws ``TransferError``.
  public func stream(_ request: HTTPRequest) async throws(TransferError) -> HTTPStream {
    try request.check()
    let place = try await place(for: request.traits)
    try check(request, in: place)
    let id = place.id
    do throws(TransferError) {
      let head: ResponseHead = try await cuttable(id) { continuation in self.open(id, request, continuation) }
      return HTTPStream(
        status: head.status, headers: head.headers, body: HTTPStream.Body(StreamReader(id: id, transport: self)))
    } catch {
      streams[id] = nil
      throw error
    }
  }

  /// Changes how many requests may be in flight, and how many bytes of paced bodies go out in a second, nil for no limit.
  /// Requests in flight go on.
  public func limit(inFlight: Int, sendLimit: Int64?) {
    multi?.limit(inFlight: max(1, inFlight), sendLimit: sendLimit)
  }

  /// Changes how many requests may be in flight. Requests in flight go on.
  public func limit(inFlight: Int) { multi?.limit(inFlight: max(1, inFlight)) }

  /// Changes how many bytes of paced bodies go out in a second, nil for no limit. Requests in flight go on by it.
  public func limit(sendLimit: Int64?) { multi?.limit(sendLimit: sendLimit) }

  /// Cuts the transfers in flight, closes the connections and refuses new requests.
  ///
  /// Those who wait get ``TransferError/Kind/cancelled``. Returns without waiting for it.
  public nonisolated func shutdown() { mail.requestShutdown() }

  // MARK: Streams

  /// The next chunk of a stream, nil at its end.
  func nextChunk(of id: UInt64) async throws(TransferError) -> [UInt8]? {
    guard streams[id] != nil else { return nil }
    defer { if streams[id]?.isDrained == true { streams[id] = nil } }
    return try await cuttable(id) { continuation in self.read(id, continuation) }
  }

  /// Cuts a stream that nobody can read any more; from any thread.
  nonisolated func release(_ id: UInt64) { mail.release(id) }

  // MARK: On the thread

  private typealias Answer<T: Sendable> = Waiter<Result<T, TransferError>>

  private func admit() throws(TransferError) -> UInt64 {
    guard !Task.isCancelled else { throw .cancelled(requestMayHaveArrived: false) }
    guard multi != nil else { throw .shutDown }
    lastID += 1
    return lastID
  }

  /// Waits for what `start` promises; cancelling the task cuts the transfer.
  ///
  /// An async closure in an actor is on the actor only if it captures `self`; one that does not runs on the global
  /// pool without a word from the compiler. So everything that touches the transfers is a method.
  private func cuttable<T: Sendable>(
    _ id: UInt64, _ start: (Answer<T>) -> Void
  ) async throws(TransferError) -> T {
    let mail = mail
    let result = await withTaskCancellationHandler {
      await self.answer(start)
    } onCancel: {
      // It is looked at after the present job, hence after the start, even if the task was cancelled before.
      mail.cancel(id)
    }
    return try result.get()
  }

  private func answer<T: Sendable>(_ start: (Answer<T>) -> Void) async -> Result<T, TransferError> {
    await Waiter.wait { waiter in
      preconditionIsolated()
      start(waiter)
    }
  }

  /// Gives the place back where the request cannot be sent or nobody waits for it any more.
  private func check(_ request: HTTPRequest, in place: Place) throws(TransferError) {
    do throws(TransferError) {
      try request.check()
      guard !Task.isCancelled else { throw .cancelled(requestMayHaveArrived: false) }
    } catch {
      release(place)
      throw error
    }
  }

  private func turn(_ id: RequestQueue.ID, _ traits: RequestTraits) async -> TransferError? {
    await Waiter.wait { waiter in
      preconditionIsolated()
      guard let multi else { return waiter.resume(returning: .shutDown) }
      multi.wait(id, traits, waiter)
    }
  }

  private func begin(_ transfer: Transfer) {
    guard let multi else { return transfer.finish(.shutDown) }
    multi.begin(transfer)
  }

  private func open(_ id: UInt64, _ request: HTTPRequest, _ continuation: Answer<ResponseHead>) {
    let buffer = StreamBuffer()
    buffer.opening = continuation
    streams[id] = buffer
    begin(Transfer(id: id, request: request, sink: .stream(buffer)))
  }

  private func read(_ id: UInt64, _ continuation: Answer<[UInt8]?>) {
    guard let buffer = streams[id] else { return continuation.resume(returning: .success(nil)) }
    buffer.read(into: continuation)
    if buffer.wantsMore { multi?.resume(id) }
  }

  /// The thread's loop while there is something to do; false when the transport is gone.
  private static func workUntilIdle(_ transport: Transport?, _ thread: LoopThread) -> Bool {
    guard let transport else { return false }
    // Around the loop, because each call allocates memory.
    transport.assumeIsolated { transport in
      var jobs = LoopThread.Jobs()
      repeat { _ = thread.runJobs(&jobs) } while transport.work()
    }
    return true
  }

  /// One round between the jobs; whether transfers are in flight.
  private func work() -> Bool {
    if let mail = mail.collect() {
      for id in mail.cancelled { multi?.cut(id) }
      for id in mail.released {
        multi?.cut(id)
        streams[id] = nil
      }
      if mail.shutdown {
        multi?.cutAll()
        multi = nil
      }
    }
    guard let multi else { return false }
    if multi.needsStep { multi.step() }
    guard multi.isBusy else { return false }
    if thread.mayFallAsleep() { thread.wokeUp(bellRang: multi.wait()) }
    return true
  }
}
