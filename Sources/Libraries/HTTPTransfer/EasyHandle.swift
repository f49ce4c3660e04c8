import CCurl

/// Owns one of libcurl's easy handles with what it borrows: its header list and its error buffer.
///
/// Lives on the transfer thread only.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private let headers = HeaderList()
  private let sockets: UnsafeMutablePointer<ccurl_sockets>
  /// The memory that libcurl sends a body from.
  private var body = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Memory for longer bodies is not kept for the next one.
  private static let longestKeptBody = 16 << 10

  /// A handle for a multi handle's requests. Its connections stay among those sockets, which outlive it.
  init(_ sockets: UnsafeMutablePointer<ccurl_sockets>) throws(TransferError) {
    unsafe self.sockets = sockets
    guard let handle = unsafe curl_easy_init() else {
      throw TransferError(.outOfMemory, "no memory for a transfer")
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

  /// The part of the present options that the next request may share; nil if there is none.
  private(set) var shape: RequestShape?

  /// Forgets the last request; connections and names stay with the multi handle.
  func reset() {
    unsafe curl_easy_reset(pointer)
    dropHeaders()
    dropBody()
    shape = nil
    // A change of this size is what frees the upload buffer, so that spare handles hold none.
    _ = unsafe ccurl_set_long(pointer, CURLOPT_UPLOAD_BUFFERSIZE, 16 << 10)
  }

  /// Forgets what belonged to the last request alone: the options stand for the next one of the same shape.
  func keep(for shape: RequestShape) {
    dropHeaders()
    if unsafe body.count > Self.longestKeptBody { dropBody() }
    self.shape = shape
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

  // MARK: Options

  func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
    try check(unsafe ccurl_set_long(pointer, option, value))
  }

  func set(_ option: CURLoption, offset value: Int64) throws(TransferError) {
    try check(unsafe ccurl_set_offset(pointer, option, curl_off_t(value)))
  }

  /// Sets a text, which libcurl copies; nil takes it away.
  func set(_ option: CURLoption, _ value: String?) throws(TransferError) {
    guard let value else { return try check(unsafe ccurl_set_string(pointer, option, nil)) }
    try check(unsafe value.withCString { unsafe ccurl_set_string(pointer, option, $0) })
  }

  /// Sets bytes, which libcurl copies.
  func set(_ option: CURLoption, bytes: [UInt8]) throws(TransferError) {
    try check(
      unsafe bytes.withUnsafeBytes { unsafe ccurl_set_blob(pointer, option, $0.baseAddress, $0.count) })
  }

  func set(_ option: CURLoption, context: Transfer) throws(TransferError) {
    try check(unsafe ccurl_set_pointer(pointer, option, Unmanaged.passUnretained(context).toOpaque()))
  }

  func set(_ option: CURLoption, _ function: ccurl_data_function) throws(TransferError) {
    try check(unsafe ccurl_set_data_function(pointer, option, function))
  }

  func setSeek(_ function: ccurl_seek_function) throws(TransferError) {
    try check(unsafe ccurl_set_seek_function(pointer, function))
  }

  func setProgress(_ function: ccurl_progress_function) throws(TransferError) {
    try check(unsafe ccurl_set_progress_function(pointer, function))
  }

  /// Sets a body, of which this handle keeps a copy.
  func setBody(_ bytes: [UInt8]) throws(TransferError) {
    // An empty one has an address too: a body without would be asked of the read callback.
    if unsafe body.baseAddress == nil || body.count < bytes.count {
      unsafe body.deallocate()
      unsafe body = .allocate(byteCount: max(1024, bytes.count), alignment: 16)
    }
    unsafe body.copyBytes(from: bytes)
    try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
    try check(unsafe ccurl_set_pointer(pointer, CURLOPT_POSTFIELDS, body.baseAddress))
  }

  /// Sets the header lines, in libcurl's form, that the body adds. libcurl reads them where they are.
  func setHeaders(lines: Int, bytes: Int, _ body: (HeaderList) -> Void) throws(TransferError) {
    headers.reset(lines: lines, bytes: bytes)
    body(headers)
    try check(unsafe ccurl_set_headers(pointer, headers.first))
  }

  /// Has connections opened and closed where their sockets are watched.
  func setSockets() throws(TransferError) { try check(unsafe ccurl_set_sockets(pointer, sockets)) }

  func setErrorBuffer() throws(TransferError) {
    unsafe errorText.pointee = 0
    try check(unsafe ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText))
  }

  private func check(_ code: CURLcode) throws(TransferError) {
    guard code == CURLE_OK else {
      throw TransferError(
        code == CURLE_OUT_OF_MEMORY ? .outOfMemory : .other,
        "libcurl refuses an option: \(unsafe String(cString: curl_easy_strerror(code)))", code: Int32(code.rawValue))
    }
  }

  // MARK: Facts

  /// libcurl's own account of the failure, empty if there is none.
  var errorWords: String { unsafe String(cString: errorText) }

  func fact(_ info: CURLINFO) -> Int {
    var value = 0
    // It fails only for a kind of fact that this libcurl does not know; 0 is what it has for "not yet" too.
    _ = unsafe ccurl_get_long(pointer, info, &value)
    return value
  }

  /// The bytes of the request's body that have left. libcurl counts anew where it sends a request once more.
  var bytesSent: Int64 { large(CURLINFO_SIZE_UPLOAD_T) }

  /// A time in microseconds.
  func microseconds(_ info: CURLINFO) -> Int64 { large(info) }

  private func large(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    _ = unsafe ccurl_get_offset(pointer, info, &value)
    return Int64(value)
  }
}
