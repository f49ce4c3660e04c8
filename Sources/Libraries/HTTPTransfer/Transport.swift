public import Linux
import Seams

/// Sends HTTP/1.1 requests with libcurl, many at a time, over connections that are kept and reused.
///
/// The actor's executor is its own thread, which owns libcurl's multi handle and does not wake up while it is idle. Redirects are
/// never followed and certificates are always verified. Proxies come from the usual variables (`https_proxy`, `no_proxy` …).
/// The thread ends when the last reference to an idle transport is released.
///
/// The server may close a kept connection at the moment when it is reused. If not one byte of an answer arrived, libcurl repeats
/// the request over a new connection by itself. RFC 9110, 9.2.2, allows this only for requests that may be repeated; for others,
/// set ``HTTPRequest/mayBeRepeated`` to false. A registration may be repeated because it has an idempotency key, an upload
/// because it stores the same bytes under the same key.
public actor Transport {
  private nonisolated let thread: LoopThread
  /// The transfer thread as an executor for tasks that mostly send requests. These must not block.
  public nonisolated let tasks: any TaskExecutor
  /// The limits of requests a second; none at first.
  public nonisolated let rates = RequestRates()
  /// The requests; nil after ``shutdown()``. Only the transfer thread uses them, in methods of this actor and by ``lineHere()``, which
  /// checks the thread. So one piece of code at a time does.
  nonisolated(unsafe) private(set) var line: TransferLine?

  /// The transfer thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// Sets libcurl up and starts the thread.
  ///
  /// At most `inFlight` requests are in flight; the default is `maxConnections`. Further requests wait for a place. Requests with
  /// a long body get at most about half of the places (``HTTPRequest/isLarge``). Paced bodies are sent with at most `sendLimit`
  /// bytes per second, all together. No request begins on a connection that is older than `connectionLife`, so that a server whose name has
  /// moved is followed under steady traffic too. Throws ``TransferError`` if the setup fails.
  ///
  /// On a simulated machine, its ``NetworkWorld`` sends the requests.
  public init(
    maxConnections: Int = 256, inFlight: Int? = nil, sendLimit: Int64? = nil, connectionLife: Duration = .seconds(180),
    on machine: Machine = .system
  ) throws(TransferError) {
    // Everything is set up before the thread runs its first job: a job without a multi handle would hang for ever.
    let thread: LoopThread
    do throws(FileError) { thread = try LoopThread("transfer", on: machine) } catch { throw TransferError(error) }
    self.thread = thread
    tasks = thread.tasks
    if let network = machine.world as? any NetworkWorld {
      unsafe line = SimulatedTransfers(
        network, thread, inFlight: max(1, inFlight ?? maxConnections), sendLimit: sendLimit, rates: rates
      ) { [weak self] id, result in
        self?.assumeIsolated { (unsafe $0.line as? SimulatedTransfers)?.end(id, result) }
      }
      try start()
      return
    }
    unsafe line = try MultiHandle(
      maxConnections: max(1, maxConnections), inFlight: max(1, inFlight ?? maxConnections),
      sendLimit: sendLimit, rates: rates, connectionLife: connectionLife, bell: thread.bell)
    try start()
  }

  private nonisolated func start() throws(TransferError) {
    let thread = self.thread
    do throws(FileError) {
      try thread.start(
        stackSize: 4 << 20, round: { [weak self] in self?.assumeIsolated { _ = $0.work() } },
        { [weak self] in
          while Self.workUntilIdle(self, thread) {
            // No reference is held during this sleep, so that the transport can be released.
            if thread.mayFallAsleep() { thread.sleep() }
          }
        })
    } catch {
      throw TransferError(error)
    }
  }

  /// The thread notices that it has no transport any more.
  deinit { thread.wake() }

  /// Runs a body on the transfer thread between two of its steps, e.g. to check that the thread makes progress.
  public nonisolated func run(_ body: @escaping @Sendable () -> Void) { Task(executorPreference: tasks) { body() } }

  /// Sends a request and waits for the whole answer, whatever its status.
  ///
  /// An answer of 300 or above is valid as soon as its head is complete, even if it came before the whole request was sent, or
  /// its body was interrupted. If a body is far longer than the limit, it is cut, and its connection is closed. Cancelling the
  /// task cuts the transfer at once. Throws ``TransferError``.
  public func send(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    try await send(request, in: try await place(for: request.traits))
  }

  /// Waits until a request may begin, builds it and sends it.
  ///
  /// Nothing that is built for one attempt is used in the next. However long the request waited for its turn, it has the key, clock,
  /// signature and file of the moment: S3 refuses a signature that is 15 minutes old (`RequestTimeTooSkewed`).
  ///
  /// A caller that is on the transfer thread already, as a task of ``tasks``, stays there (`Transport+InPlace.swift`). Any other caller
  /// changes to this actor once for everything. Throws the errors of building, or a ``TransferError``.
  public nonisolated func send(
    _ traits: RequestTraits, built build: @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    guard isOnThread else { return try await sendHere(traits, built: build) }
    return try await sendInPlace(traits, built: build)
  }

  private func sendHere(
    _ traits: RequestTraits, built build: @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    try await sendInPlace(traits, built: build)
  }

  /// True if the caller is on the transfer thread.
  nonisolated var isOnThread: Bool { thread.isIsolatingCurrentContext() == true }

  /// Sends a request and waits for the head of the answer. Its body is read in chunks, as fast as the reader takes them.
  ///
  /// Up to 256 KiB are buffered, then the server has to wait. ``HTTPRequest/bodyLimit`` does not apply. Releasing the stream cuts
  /// the transfer. Throws ``TransferError``.
  public func stream(_ request: HTTPRequest) async throws(TransferError) -> HTTPStream {
    let id = try await place(for: request.traits)
    try check(request, in: id)
    let buffer = StreamBuffer()
    let head: Result<ResponseHead, TransferError> = await cuttable(id) { waiter in
      buffer.opening = waiter
      begin(Transfer(id: id, request: request, sink: .stream(buffer)))
    }
    return HTTPStream(try head.get(), id, buffer, self)
  }

  /// Returns the next chunk of a stream; nil at its end.
  func nextChunk(of id: RequestQueue.ID, _ buffer: StreamBuffer) async throws(TransferError) -> [UInt8]? {
    let chunk: Result<[UInt8]?, TransferError> = await cuttable(id) { waiter in
      buffer.read(into: waiter)
      if buffer.wantsMore { unsafe line?.resume(id) }
    }
    return try chunk.get()
  }

  /// Changes the maximum number of requests in flight, and the limit of bytes per second for paced bodies (nil for none).
  /// Requests in flight continue.
  public func limit(inFlight: Int, sendLimit: Int64?) {
    limit(inFlight: inFlight)
    if let line = unsafe line { line.queue.set(rate: sendLimit, now: line.now) }
  }

  /// Changes the maximum number of requests in flight alone.
  public func limit(inFlight: Int) { unsafe line?.limit(inFlight: max(1, inFlight)) }

  /// Cancels requests that would wait for one of the ``rates``, from now on: the program is about to end.
  public func endRateWaits() {
    unsafe line?.endsRateWaits = true
    unsafe line?.giveTurns()
  }

  /// Cuts the transfers in flight, closes the connections and refuses new requests.
  ///
  /// Callers that wait get ``TransferError/Kind/cancelled``. It returns at once.
  public nonisolated func shutdown() {
    run {
      self.lineHere()?.cutAll()
      unsafe self.line = nil
    }
  }

  // MARK: On the thread

  /// Runs the thread's loop while there is something to do; returns false if the transport is gone.
  private static func workUntilIdle(_ transport: Transport?, _ thread: LoopThread) -> Bool {
    guard let transport else { return false }
    // `assumeIsolated` is outside of the loop, because each call allocates memory.
    transport.assumeIsolated { transport in
      var jobs = LoopThread.Jobs()
      repeat { _ = thread.runJobs(&jobs) } while transport.work()
    }
    return true
  }

  /// One round between the jobs; returns true while transfers are in flight.
  private func work() -> Bool {
    guard let line = unsafe line else { return false }
    if line.needsStep || line.isDue { line.step() }
    guard line.isBusy else { return false }
    if thread.mayFallAsleep() { thread.wokeUp(bellRang: line.wait()) }
    return true
  }
}
