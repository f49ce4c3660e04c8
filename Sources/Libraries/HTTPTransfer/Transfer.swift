import CCurl
import Linux
import Messages

/// One request in flight: libcurl's callbacks read from it and write to it.
///
/// The calls come in about this order: ``giveBody(_:)`` for each portion of the request's body; ``receiveHeader(_:)`` and
/// ``receiveBody(_:)`` for the answer, which may begin before the body was sent completely; with a time limit for the answer,
/// ``mayGoOn(sent:now:)`` from time to time; and ``finish(_:)`` once. A callback that ends the transfer records its decision, which
/// ``finish(_:)`` prefers to libcurl's own error.
///
/// It is used only on the transfer thread.
final class Transfer {
  /// The receiver of the answer.
  enum Sink {
    case collect(Waiter<Result<HTTPResponse, TransferError>>)
    case stream(StreamBuffer)
  }

  /// A callback's decision about the transfer, which overrides libcurl's result.
  private enum Decision {
    case failed(TransferError)
    /// The answer is sufficient, because its status is known: its body is far longer than the limit, or takes too long.
    case hasEnough
  }

  /// The number of bytes beyond the limit that are read and dropped, so that the connection can be reused.
  static let drainLimit = 256 << 10
  /// The maximum number of bytes that are kept of the body of a failure, in which messages and secrets are searched for.
  private static let failureLimit = 64 << 10

  let id: UInt64
  let request: HTTPRequest
  /// The options that the request shares with others; nil if it shares none.
  let options: HandleOptions?
  let isCollected: Bool
  /// The handle, once the transfer has begun.
  var easy: EasyHandle?
  /// Requests permission to send this number of bytes: returns how many may be sent at this time, or nil if the transfer must pause. The
  /// closure is nil if no permission is needed.
  var grant: ((Int) -> Int?)?
  private let sink: Sink
  private var head = ResponseHead()
  private var body: [UInt8] = []
  private var dropped = 0
  /// The number of the file's bytes that were read and added to ``HTTPRequest/sent``.
  private var sent: Int64 = 0
  /// The number of the body's bytes that were sent, according to libcurl, and the time of the last one.
  private var lastSent: (count: Int64, at: Int64)?
  /// True if the body waits for its turn to send.
  private var isPaced = false
  private var decision: Decision?
  /// The number of times that libcurl began to send the request.
  var sendings = 0
  /// The number of bytes of the body that were sent in the end, according to libcurl.
  var bytesSent: Int64 = 0

  init(id: UInt64, request: HTTPRequest, sink: Sink) {
    self.id = id
    self.request = request
    self.sink = sink
    if case .collect = sink { isCollected = true } else { isCollected = false }
    options = isCollected ? HandleOptions(request) : nil
  }

  // MARK: Calls of libcurl

  /// Receives a header line; false cuts the transfer.
  func receiveHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard unsafe head.add(line) else {
      decision = .failed(
        TransferError(.tooLarge, .headersTooLong(peer: request.peer, limit: ResponseHead.limit)))
      return false
    }
    if head.isComplete, case .stream(let buffer) = sink { buffer.open(head) }
    return true
  }

  /// Returns true if the transfer may continue; false cuts it. `now` is in milliseconds.
  ///
  /// libcurl does not report when the first byte of an answer arrived. So the time for the answer begins when the last byte of
  /// the request was sent: either there are no more, or the server accepts no more.
  func mayGoOn(sent count: Int64, now: Int64) -> Bool {
    guard let limit = request.shape.options.answerTimeout, easy?.requestMayHaveArrived == true else { return true }
    guard let last = lastSent, last.count == count, !isPaced else {
      lastSent = (count, now)
      return true
    }
    guard .milliseconds(now - last.at) > limit else { return true }
    // The status decides. Only a success needs the rest of its answer.
    decision =
      head.isComplete && head.status >= 300
      ? .hasEnough
      : .failed(TransferError(.timeout, .answerTooSlow(peer: request.peer, limit: limit)))
    return false
  }

  /// Receives bytes of the answer's body. Returns what libcurl expects: their number, `CURL_WRITEFUNC_PAUSE`, or any other number to cut
  /// the transfer.
  func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    switch sink {
    case .stream(let buffer): return unsafe buffer.accept(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
    case .collect:
      let limit = head.status < 300 ? request.bodyLimit : min(request.bodyLimit, Self.failureLimit)
      let space = max(0, limit - body.count)
      unsafe body.append(contentsOf: bytes.prefix(space))
      dropped += max(0, bytes.count - space)
      guard dropped > Self.drainLimit else { return bytes.count }
      decision = .hasEnough
      return bytes.isEmpty ? 1 : 0
    }
  }

  /// Fills a buffer with the next bytes of the request's body. Returns what libcurl expects: their number, `CURL_READFUNC_PAUSE` until the
  /// request queue gives the transfer its turn to send, or `CURL_READFUNC_ABORT`.
  func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = Int(min(Int64(buffer.count), request.body.count - sent))
    guard count > 0, case .file(let file, let offset, _) = request.body else { return 0 }
    if let grant {
      let granted = grant(count)
      isPaced = granted == nil
      guard let granted else { return Int(CURL_READFUNC_PAUSE) }
      count = granted
    }
    let portion = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
    do throws(FileError) {
      let read = unsafe try file.read(at: offset + sent, into: portion)
      sent += Int64(read)
      request.sent?.add(Int64(read))
      if read > 0 { return read }
      decision = .failed(TransferError(.readFailed, .bodyEndedEarly(wanted: request.body.count - sent)))
    } catch {
      decision = .failed(TransferError(.readFailed, .bodyUnreadable(why: error.reason), osError: error.errno))
    }
    return Int(CURL_READFUNC_ABORT)
  }

  /// Returns to an earlier position, for a request that libcurl has to send again.
  func seek(to position: Int64) -> Bool {
    guard position >= 0, position <= request.body.count else { return false }
    lastSent = nil
    request.sent?.add(position - sent)
    sent = position
    return true
  }

  /// True if libcurl waits with the body or the answer until it is told to go on.
  var isPaused: Bool {
    if case .stream(let buffer) = sink, buffer.isPaused { return true }
    return isPaced
  }

  /// True if the answer ended within its head, which libcurl takes for the end of the head.
  var isHeadCut: Bool { head.status > 0 && !head.isComplete }

  /// Resumes the caller with the result. `failure` is nil if libcurl reports a success.
  func finish(_ failure: TransferError?) {
    switch (decision, failure) {
    case (.failed(var error), _):
      error.requestMayHaveArrived = failure?.requestMayHaveArrived ?? true
      error.code = failure?.code ?? 0
      finish(with: .failure(error))
    case (.hasEnough, _): finish(with: .success(response(isWhole: false)))
    case (nil, nil): finish(with: .success(response(isWhole: dropped == 0)))
    case (nil, .some(let error)):
      // The status decides. Only a success needs its body. A body that cannot be decoded counts as none.
      let isDecided = head.status >= 300 || error.code == EasyHandle.undecodable
      let isAnswer = error.kind != .cancelled && head.isComplete && isDecided && isCollected
      finish(with: isAnswer ? .success(response(isWhole: false)) : .failure(error))
    }
  }

  private func response(isWhole: Bool) -> HTTPResponse {
    HTTPResponse(
      status: head.status, headers: head.headers, body: body, bodyTruncated: !isWhole,
      bytesSent: bytesSent, wasRepeated: sendings > 1)
  }

  /// Resumes the caller with a result, which need not come from libcurl.
  func finish(with result: Result<HTTPResponse, TransferError>) {
    if case .failure = result { request.sent?.add(-sent) }
    switch sink {
    case .collect(let waiter): waiter.resume(returning: result)
    case .stream(let buffer): buffer.end(result.map { _ in })
    }
  }
}
