import CCurl
import Glibc
import Linux
import Messages

/// Owns libcurl's multi handle, with the transfers in flight and spare easy handles.
///
/// It uses `curl_multi_socket_action`: libcurl names its sockets and the time it waits for, and only ready sockets are handled.
/// `curl_multi_perform` would check every socket at each call, 32 polls for one answer. It is used only on the transfer thread.
@safe final class MultiHandle: TransferLine {
  private static let libraryCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  /// The maximum number of ready sockets that the shim returns at once.
  private static let readyLimit = 64

  private let pointer: UnsafeMutableRawPointer
  /// libcurl's sockets, in an epoll set together with the thread's bell.
  private let sockets: UnsafeMutablePointer<ccurl_sockets>
  private let bell: Int32
  /// The time when libcurl wants to be called, in milliseconds on the shim's clock; -1 for never. libcurl's timer callback writes
  /// it.
  private let deadline: UnsafeMutablePointer<Int64>
  private let ready: UnsafeMutablePointer<ccurl_ready>
  private var running: [UInt64: Transfer] = [:]
  /// Transfers that wait for their turn to send, and that libcurl does not know to be paused yet.
  private var newlyPaused: [Transfer] = []
  /// Handles that can be used again, with the options of their last requests if later ones may share them.
  private var spare: [EasyHandle] = []
  /// The maximum number of spare handles. Each costs up to 20 KiB; to make one anew costs as much as a small request.
  private static let mostSpare = 256
  private let connectionLife: Duration
  /// The time of the last look at all sockets, in milliseconds.
  private var lastLook: Int64 = 0

  init(
    maxConnections: Int, inFlight: Int, sendLimit: Int64?, rates: RequestRates, connectionLife: Duration, bell: Int32
  ) throws(TransferError) {
    guard Self.libraryCode == CURLE_OK else {
      throw TransferError(.other, .libcurlNotSetUp, code: Int32(Self.libraryCode.rawValue))
    }
    guard let pointer = unsafe curl_multi_init() else {
      throw TransferError(.outOfMemory, .noMemoryForTransfer)
    }
    unsafe self.pointer = unsafe pointer
    self.bell = bell
    self.connectionLife = connectionLife
    unsafe sockets = .allocate(capacity: 1)
    unsafe sockets.initialize(to: ccurl_sockets(set: ccurl_epoll(), count: 0, states: nil))
    unsafe deadline = .allocate(capacity: 1)
    unsafe deadline.initialize(to: -1)
    unsafe ready = .allocate(capacity: Self.readyLimit)
    unsafe ready.initialize(repeating: ccurl_ready(), count: Self.readyLimit)
    super.init(inFlight: inFlight, sendLimit: sendLimit, rates: rates)
    guard unsafe sockets.pointee.set >= 0, unsafe ccurl_epoll_add(sockets.pointee.set, bell) == 0 else {
      throw TransferError(.other, .noEpoll(why: ErrorNumber(errno).reason), osError: errno)
    }
    try check(unsafe ccurl_multi_listen(pointer, sockets, deadline))
    try set(CURLMOPT_MAXCONNECTS, maxConnections)
    try set(CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
  }

  deinit {
    // Easy handles first, so that none refers to a connection pool that is gone.
    for transfer in running.values {
      if let easy = transfer.easy { unsafe curl_multi_remove_handle(pointer, easy.pointer) }
    }
    spare = []
    unsafe curl_multi_cleanup(pointer)
    if unsafe sockets.pointee.set >= 0 { unsafe close(sockets.pointee.set) }
    unsafe free(sockets.pointee.states)
    unsafe sockets.deallocate()
    unsafe deadline.deallocate()
    unsafe ready.deallocate()
  }

  override var isBusy: Bool { !running.isEmpty || queue.deadline(now: 0) != nil }

  override var now: Int64 { ccurl_milliseconds() }

  override func begin(_ transfer: Transfer) {
    // libcurl reads a file in portions while it is sent; other bodies are passed as a whole.
    if transfer.request.isPaced, case .file = transfer.request.body {
      transfer.grant = { [unowned self, unowned transfer] count in self.grant(transfer, upTo: count) }
    }
    if now > lastLook { lookAtResting() }
    do throws(TransferError) {
      // A handle that has these options already. Other kinds of requests keep theirs while there is room.
      let index =
        spare.lastIndex { $0.options == transfer.options } ?? spare.lastIndex { $0.options == nil }
        ?? (spare.count < Self.mostSpare ? nil : spare.indices.last)
      let easy =
        if let index { spare.remove(at: index) } else {
          unsafe try EasyHandle(sockets, connectionLife: connectionLife)
        }
      try easy.prepare(for: transfer)
      try check(unsafe curl_multi_add_handle(pointer, easy.pointer))
      transfer.easy = easy
      running[transfer.id] = transfer
      needsStep = true
    } catch {
      release(transfer.id)
      transfer.finish(error)
    }
  }

  override func cut(_ id: UInt64) {
    guard let transfer = running[id], let easy = transfer.easy else { return giveUp(id) }
    let error = TransferError.cancelled(requestMayHaveArrived: easy.requestMayHaveArrived)
    remove(transfer)
    transfer.finish(error)
    needsStep = true
  }

  /// Cuts all transfers. Connections are closed together with the multi handle.
  override func cutAll() { failAll { .cancelled(requestMayHaveArrived: $0) } }

  override func resume(_ id: UInt64) {
    guard let transfer = running[id], let easy = transfer.easy else { return }
    let code = unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    needsStep = true
    if code != CURLE_OK { end(transfer, code) }
  }

  /// Calls libcurl if its time has come, and resumes the callers of finished transfers.
  override func step() {
    needsStep = false
    if unsafe deadline.pointee >= 0, unsafe deadline.pointee <= ccurl_milliseconds() {
      // libcurl sets the timer again if needed; unchanged, it would stay due.
      unsafe deadline.pointee = -1
      act(on: ccurl_no_socket, events: 0)
    }
    collectFinished()
    for transfer in exchange(&newlyPaused, with: []) {
      guard let easy = transfer.easy else { continue }
      // Paused in both directions: a transfer that is paused only for sending is reported as too slow. The call fails for a handle that is
      // not in use.
      _ = unsafe curl_easy_pause(easy.pointer, CURLPAUSE_ALL)
    }
    giveTurns()
  }

  /// Grants a transfer some bytes to send; nil if it must pause.
  private func grant(_ transfer: Transfer, upTo count: Int) -> Int? {
    let granted = queue.grant(transfer.id, upTo: count, now: now)
    if granted == nil { newlyPaused.append(transfer) }
    return granted
  }

  /// Waits until a connection or the thread's bell is ready, or libcurl's time has come.
  override func wait() -> Bool {
    needsStep = true
    let count = unsafe ccurl_epoll_wait(sockets, ready, nap)
    lastLook = now
    if count < 0 {
      let error = errno
      if error != EINTR {
        failAll {
          TransferError(
            .other, .noEpoll(why: ErrorNumber(error).reason), osError: error, requestMayHaveArrived: $0)
        }
      }
      return false
    }
    var bellRang = false
    for index in 0..<Int(count) {
      let socket = unsafe ready[index]
      if socket.descriptor == bell {
        bellRang = true
      } else if isWanted(socket.descriptor) {
        act(on: socket.descriptor, events: socket.events)
      }
    }
    return bellRang
  }

  /// Ends the resting connections on which bytes have come: no request must get them as its answer.
  private func lookAtResting() {
    lastLook = now
    for index in 0..<Int(max(0, unsafe ccurl_epoll_wait(sockets, ready, 0))) {
      let socket = unsafe ready[index].descriptor
      if socket != bell { _ = isWanted(socket) }
    }
  }

  /// Returns true if libcurl waits for events of a socket. Any other is not looked at again until it does.
  private func isWanted(_ socket: Int32) -> Bool {
    guard unsafe ccurl_is_resting(sockets, socket) != 0 else { return true }
    unsafe ccurl_forget(sockets, socket, running.values.contains(where: \.isPaused) ? 0 : 1)
    return false
  }

  /// The maximum sleep in milliseconds: until the next deadline, or -1 for no limit.
  private var nap: Int32 {
    let now = ccurl_milliseconds()
    let libcurls = unsafe deadline.pointee
    let nextTurn = queue.deadline(now: now)
    guard libcurls >= 0 || nextTurn != nil else { return -1 }
    let first = min(libcurls >= 0 ? libcurls : .max, nextTurn ?? .max)
    return Int32(clamping: max(0, first - now))
  }

  private func act(on socket: Int32, events: Int32) {
    var count: Int32 = 0
    let code = unsafe curl_multi_socket_action(pointer, socket, events, &count)
    // It is no error if handling another socket has closed this one.
    guard code != CURLM_OK, code != CURLM_BAD_SOCKET else { return }
    failAll { Self.error(code, requestMayHaveArrived: $0) }
  }

  private func collectFinished() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(pointer, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
        continue
      }
      let code = unsafe message.pointee.data.result
      var context: UnsafeMutableRawPointer?
      guard unsafe ccurl_get_pointer(handle, CURLINFO_PRIVATE, &context) == CURLE_OK,
        let transfer = unsafe Callbacks.transfer(context)
      else { continue }
      end(transfer, code)
    }
  }

  private func end(_ transfer: Transfer, _ code: CURLcode) {
    let code = code == CURLE_OK && transfer.isHeadCut ? CURLE_PARTIAL_FILE : code
    let error = transfer.easy?.failure(code, transfer.request)
    transfer.bytesSent = transfer.easy?.bytesSent ?? 0
    remove(transfer, isWhole: code == CURLE_OK)
    transfer.finish(error)
  }

  /// Removes a transfer from libcurl, which closes its connection if the transfer is not finished; the handle becomes spare.
  /// - Parameter isWhole: true if libcurl completed it; otherwise the handle's options are not reused.
  private func remove(_ transfer: Transfer, isWhole: Bool = false) {
    running[transfer.id] = nil
    queue.release(transfer.id)
    newlyPaused.removeAll { $0 === transfer }
    guard let easy = transfer.easy else { return }
    transfer.easy = nil
    // This fails only for a handle that was not added.
    _ = unsafe curl_multi_remove_handle(pointer, easy.pointer)
    guard spare.count < Self.mostSpare else { return }
    easy.clear(keeping: isWhole ? transfer.options : nil)
    spare.append(easy)
  }

  private func failAll(_ error: (_ requestMayHaveArrived: Bool) -> TransferError) {
    for transfer in running.values {
      let reason = error(transfer.easy?.requestMayHaveArrived ?? false)
      remove(transfer)
      transfer.finish(reason)
    }
    giveUpAll(error(false))
  }

  private func set(_ option: CURLMoption, _ value: Int) throws(TransferError) {
    try check(unsafe ccurl_multi_set_long(pointer, option, value))
  }

  private func check(_ code: CURLMcode) throws(TransferError) {
    guard code == CURLM_OK else { throw Self.error(code, requestMayHaveArrived: false) }
  }

  private static func error(_ code: CURLMcode, requestMayHaveArrived: Bool) -> TransferError {
    TransferError(
      code == CURLM_OUT_OF_MEMORY ? .outOfMemory : .other,
      .libcurlCannotGoOn(why: unsafe String(cString: curl_multi_strerror(code))), code: code.rawValue,
      requestMayHaveArrived: requestMayHaveArrived)
  }
}
