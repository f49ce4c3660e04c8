import Linux
public import Seams

/// A simulated world with a network, which replaces libcurl and all servers.
public protocol NetworkWorld: World {
  /// Sends a request and calls `end` once, in the line, with the result; not after ``cut(_:)``.
  /// - Returns: a number for ``cut(_:)``.
  func send(
    _ request: HTTPRequest, in line: WorldLine, _ end: @escaping @Sendable (Result<HTTPResponse, TransferError>) -> Void
  ) -> Int

  /// Cuts a request. Returns true if it may have arrived.
  func cut(_ request: Int) -> Bool
}

/// The transfers of a simulation: with the same queue, over the network of its world.
final class SimulatedTransfers: TransferLine {
  private let network: any NetworkWorld
  private let line: WorldLine
  private let thread: LoopThread
  private var running: [UInt64: (transfer: Transfer, request: Int)] = [:]
  private let ended: @Sendable (UInt64, Result<HTTPResponse, TransferError>) -> Void

  /// - Parameter ended: passes the end of a request to the transport, which calls ``end(_:_:)``.
  init(
    _ network: any NetworkWorld, _ thread: LoopThread, inFlight: Int, sendLimit: Int64?, rates: RequestRates,
    ended: @escaping @Sendable (UInt64, Result<HTTPResponse, TransferError>) -> Void
  ) {
    self.network = network
    self.thread = thread
    self.ended = ended
    line = network.makeLine("network")
    super.init(inFlight: inFlight, sendLimit: sendLimit, rates: rates)
  }

  /// No loop runs by itself in a simulation, so a change must wake the thread.
  override var needsStep: Bool { didSet { if needsStep { thread.wake() } } }

  override var now: Int64 { network.steady / 1000 }

  override var isDue: Bool { queue.deadline(now: now).map { $0 <= now } ?? false }

  override func begin(_ transfer: Transfer) {
    let (id, ended) = (transfer.id, ended)
    let request = network.send(transfer.request, in: line) { ended(id, $0) }
    running[id] = (transfer, request)
  }

  override func cut(_ id: UInt64) {
    guard let (transfer, request) = running.removeValue(forKey: id) else { return giveUp(id) }
    queue.release(id)
    transfer.finish(.cancelled(requestMayHaveArrived: network.cut(request)))
    needsStep = true
  }

  override func cutAll() {
    for id in running.keys.sorted() { cut(id) }
    giveUpAll(.cancelled(requestMayHaveArrived: false))
  }

  override func step() {
    needsStep = false
    giveTurns()
    guard let next = queue.deadline(now: now) else { return }
    _ = network.run(in: line, after: .milliseconds(max(1, next - now))) { [thread] in thread.wake() }
  }

  func end(_ id: UInt64, _ result: Result<HTTPResponse, TransferError>) {
    guard let (transfer, _) = running.removeValue(forKey: id) else { return }
    queue.release(id)
    transfer.finish(with: result)
    needsStep = true
  }
}
