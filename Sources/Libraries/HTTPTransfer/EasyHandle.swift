import CCurl
import Messages

/// Owns one of libcurl's easy handles and what libcurl only borrows: its header list, its body and its error buffer.
///
/// It is used only on the transfer thread.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private let headers = HeaderList()
  let sockets: UnsafeMutablePointer<ccurl_sockets>
  /// The maximum age of a connection that a request begins on.
  let connectionLife: Duration
  /// The memory that libcurl sends a body from.
  private var body = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The maximum size in bytes of memory that is kept for the next body.
  private static let longestKeptBody = 16 << 10

  /// A handle whose connections are watched with these sockets. They must outlive the handle.
  init(_ sockets: UnsafeMutablePointer<ccurl_sockets>, connectionLife: Duration) throws(TransferError) {
    unsafe self.sockets = sockets
    self.connectionLife = connectionLife
    guard let handle = unsafe curl_easy_init() else {
      throw TransferError(.outOfMemory, .noMemoryForTransfer)
    }
    unsafe pointer = unsafe handle
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe errorText.deallocate()
    unsafe body.deallocate()
  }

  /// The options that are set; nil if there are none that a later request may share.
  private(set) var options: HandleOptions?

  /// Removes all options of the last request; connections and resolved names stay with the multi handle.
  func reset() {
    unsafe curl_easy_reset(pointer)
    dropHeaders()
    dropBody()
    options = nil
  }

  /// Removes what belongs to the last request alone; these options stay for the next request that shares them.
  func clear(keeping options: HandleOptions?) {
    guard let options else { return reset() }
    dropHeaders()
    if unsafe body.count > Self.longestKeptBody { dropBody() }
    self.options = options
  }

  private func dropBody() {
    _ = unsafe ccurl_set_pointer(pointer, CURLOPT_POSTFIELDS, nil)
    unsafe body.deallocate()
    unsafe body = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  private func dropHeaders() {
    _ = unsafe ccurl_set_headers(pointer, nil)
    headers.reset(lines: 0, bytes: 0)
  }

  func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
    try check(unsafe ccurl_set_long(pointer, option, value))
  }

  func set(_ option: CURLoption, offset value: Int64) throws(TransferError) {
    try check(unsafe ccurl_set_offset(pointer, option, curl_off_t(value)))
  }

  /// Sets a text, which libcurl copies; nil removes it.
  func set(_ option: CURLoption, _ value: String?) throws(TransferError) {
    guard let value else { return try check(unsafe ccurl_set_string(pointer, option, nil)) }
    try check(unsafe value.withCString { unsafe ccurl_set_string(pointer, option, $0) })
  }

  /// Sets bytes, which libcurl copies.
  func set(_ option: CURLoption, bytes: [UInt8]) throws(TransferError) {
    try check(unsafe bytes.withUnsafeBytes { unsafe ccurl_set_blob(pointer, option, $0.baseAddress, $0.count) })
  }

  func set(_ option: CURLoption, context: Transfer) throws(TransferError) {
    try check(unsafe ccurl_set_pointer(pointer, option, Unmanaged.passUnretained(context).toOpaque()))
  }

  func set(_ option: CURLoption, _ function: ccurl_data_function) throws(TransferError) {
    try check(unsafe ccurl_set_data_function(pointer, option, function))
  }

  /// Sets a body, which this handle copies.
  func setBody(_ bytes: [UInt8]) throws(TransferError) {
    // An empty body needs an address too: without one, libcurl would ask the read callback for a body.
    if unsafe body.baseAddress == nil || body.count < bytes.count {
      unsafe body.deallocate()
      unsafe body = .allocate(byteCount: max(1024, bytes.count), alignment: 16)
    }
    unsafe body.copyBytes(from: bytes)
    try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
    try check(unsafe ccurl_set_pointer(pointer, CURLOPT_POSTFIELDS, body.baseAddress))
  }

  /// Sets the header lines that `body` adds, in libcurl's form. libcurl does not copy them.
  func setHeaders(lines: Int, bytes: Int, _ body: (HeaderList) -> Void) throws(TransferError) {
    headers.reset(lines: lines, bytes: bytes)
    body(headers)
    try check(unsafe ccurl_set_headers(pointer, headers.first))
  }

  func setErrorBuffer() throws(TransferError) {
    unsafe errorText.pointee = 0
    try check(unsafe ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText))
  }

  func check(_ code: CURLcode) throws(TransferError) {
    guard code == CURLE_OK else {
      throw TransferError(
        code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .other,
        .libcurlRefusesOption(why: unsafe String(cString: curl_easy_strerror(code))),
        code: Int32(code.rawValue))
    }
  }

  /// libcurl's text about the failure, or nothing. For an unusable proxy, libcurl would quote its URL, with the password.
  var errorWords: String {
    let words = unsafe String(cString: errorText)
    return words.hasPrefix("Unsupported proxy") ? "the proxy's URL cannot be used" : words
  }

  func fact(_ info: CURLINFO) -> Int {
    var value = 0
    // This fails only for a fact that this libcurl does not know; libcurl itself uses 0 for "not yet".
    _ = unsafe ccurl_get_long(pointer, info, &value)
    return value
  }

  /// The number of bytes of the request's body that were sent. If libcurl repeats a request, the number starts again at 0.
  var bytesSent: Int64 { large(CURLINFO_SIZE_UPLOAD_T) }

  func microseconds(_ info: CURLINFO) -> Int64 { large(info) }

  private func large(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    _ = unsafe ccurl_get_offset(pointer, info, &value)
    return Int64(value)
  }
}
