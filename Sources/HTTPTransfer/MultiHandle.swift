import CCurl

/// Owns libcurl's multi handle: the transfers in flight, those that wait their turn, and spare easy handles.
///
/// Lives on the transfer thread only.
@safe final class MultiHandle {
  private static let libraryCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  /// Spare handles cost some 20 KiB each, so few are kept.
  private static let spareLimit = 64
  /// While transfers are in flight libcurl knows its own times; this is only the longest nap.
  private static let longestNap: Int32 = 60_000

  private let pointer: UnsafeMutableRawPointer
  private let maxConnections: Int
  private var running: [UInt64: Transfer] = [:]
  private var waiting: [Transfer] = []
  private var spare: [EasyHandle] = []
  /// Whether something was changed that libcurl has not seen yet, or may be ready.
  private(set) var needsStep = false

  init(maxConnections: Int) throws(TransferError) {
    guard Self.libraryCode == CURLE_OK else {
      throw TransferError(.other, "libcurl cannot be set up", code: Int32(Self.libraryCode.rawValue))
    }
    guard let pointer = unsafe curl_multi_init() else {
      throw TransferError(.outOfMemory, "no memory for transfers")
    }
    unsafe self.pointer = unsafe pointer
    self.maxConnections = maxConnections
    try set(CURLMOPT_MAXCONNECTS, maxConnections)
    try set(CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
  }

  deinit {
    // Easy handles before the multi handle, so that none is left with a pool of connections that is gone.
    for transfer in running.values {
      if let easy = transfer.easy { unsafe curl_multi_remove_handle(pointer, easy.pointer) }
    }
    spare.removeAll()
    unsafe curl_multi_cleanup(pointer)
  }

  /// Whether transfers are in flight.
  var isBusy: Bool { !running.isEmpty }

  /// Starts a transfer, or lets it wait its turn.
  func start(_ transfer: Transfer) {
    guard running.count < maxConnections else { return waiting.append(transfer) }
    do throws(TransferError) {
      let easy = if let used = spare.popLast() { used } else { try EasyHandle() }
      try easy.prepare(for: transfer)
      try check(unsafe curl_multi_add_handle(pointer, easy.pointer))
      transfer.easy = easy
      running[transfer.id] = transfer
      needsStep = true
    } catch {
      transfer.finish(error)
    }
  }

  /// Cuts a transfer; an unknown one has ended already.
  func cut(_ id: UInt64) {
    if let transfer = running[id], let easy = transfer.easy {
      let error = TransferError.cancelled(requestMayHaveArrived: easy.requestMayHaveArrived)
      remove(transfer)
      transfer.finish(error)
      needsStep = true
    } else if let index = waiting.firstIndex(where: { $0.id == id }) {
      waiting.remove(at: index).finish(.cancelled(requestMayHaveArrived: false))
    }
  }

  /// Cuts everything. The connections are closed with the multi handle.
  func cutAll() { failAll { .cancelled(requestMayHaveArrived: $0) } }

  /// Lets a paused transfer go on.
  func resume(_ id: UInt64) {
    guard let transfer = running[id], let easy = transfer.easy else { return }
    let code = unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
    needsStep = true
    if code != CURLE_OK { end(transfer, code) }
  }

  /// Lets libcurl do what can be done without waiting, and tells the callers of finished transfers.
  func step() {
    needsStep = false
    var count: Int32 = 0
    let code = unsafe curl_multi_perform(pointer, &count)
    guard code == CURLM_OK else {
      return failAll { Self.error(code, requestMayHaveArrived: $0) }
    }
    collectFinished()
    startWaiting()
  }

  /// Waits until a connection or the doorbell has something, or a time-out is due. Whether it was the doorbell.
  func wait(doorbell: Int32) -> Bool {
    var bell = curl_waitfd(fd: doorbell, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    var count: Int32 = 0
    let code = unsafe curl_multi_poll(pointer, &bell, 1, Self.longestNap, &count)
    needsStep = true
    if code != CURLM_OK { failAll { Self.error(code, requestMayHaveArrived: $0) } }
    return bell.revents != 0
  }

  // MARK: Ends

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
    let error = transfer.easy?.failure(code, transfer.request)
    remove(transfer)
    transfer.finish(error)
  }

  /// Takes a transfer off libcurl, which closes its connection if it is half way; the handle becomes spare.
  private func remove(_ transfer: Transfer) {
    running[transfer.id] = nil
    guard let easy = transfer.easy else { return }
    transfer.easy = nil
    // It fails only for a handle that is not there.
    _ = unsafe curl_multi_remove_handle(pointer, easy.pointer)
    guard spare.count < Self.spareLimit else { return }
    easy.reset()
    spare.append(easy)
  }

  private func startWaiting() {
    while !waiting.isEmpty, running.count < maxConnections { start(waiting.removeFirst()) }
  }

  private func failAll(_ error: (_ requestMayHaveArrived: Bool) -> TransferError) {
    for transfer in running.values {
      let reason = error(transfer.easy?.requestMayHaveArrived ?? false)
      remove(transfer)
      transfer.finish(reason)
    }
    for transfer in waiting { transfer.finish(error(false)) }
    waiting.removeAll()
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
      "libcurl cannot go on: \(unsafe String(cString: curl_multi_strerror(code)))", code: code.rawValue,
      requestMayHaveArrived: requestMayHaveArrived)
  }
}
