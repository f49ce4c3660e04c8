import CCurl
import FoundationEssentials

extension EasyHandle {
  /// Prepares a handle for a transfer: a new or reset handle, or one whose options are those of another request.
  func prepare(for transfer: Transfer) throws(TransferError) {
    let request = transfer.request
    if options == nil || options != transfer.options {
      if options != nil { reset() }
      try setRules()
      try setDestination(request)
      try setTimes(request)
      if request.method == HTTPRequest.onlyConnects {
        try set(CURLOPT_CONNECT_ONLY, 1)
      } else {
        try set(CURLOPT_CUSTOMREQUEST, request.method)
      }
      try check(unsafe ccurl_set_prereq_function(pointer, Callbacks.sending))
      try unsafe set(CURLOPT_HEADERFUNCTION, Callbacks.header)
      try unsafe set(CURLOPT_WRITEFUNCTION, Callbacks.body)
      // Collected answers are short, except for a daemon's own. libcurl allocates this buffer for each request, and malloc has small
      // blocks ready; a longer answer is read in more pieces.
      if transfer.isCollected {
        try set(CURLOPT_BUFFERSIZE, request.unixSocket == nil ? 1024 : 16 << 10)
        // Some servers compress although nobody has asked for it; then libcurl decodes the answer.
        try set(CURLOPT_ACCEPT_ENCODING, "identity")
      }
      if request.shape.options.answerTimeout != nil {
        try check(unsafe ccurl_set_progress_function(pointer, Callbacks.progress))
        try set(CURLOPT_NOPROGRESS, 0)
      }
    }
    try setErrorBuffer()
    try set(CURLOPT_URL, request.url)
    try setMethodAndBody(transfer)
    try addHeaders(request)
    try set(CURLOPT_PRIVATE, context: transfer)
    try set(CURLOPT_PREREQDATA, context: transfer)
    try set(CURLOPT_HEADERDATA, context: transfer)
    try set(CURLOPT_WRITEDATA, context: transfer)
    if request.shape.options.answerTimeout != nil { try set(CURLOPT_XFERINFODATA, context: transfer) }
    // The answer to a range is a piece of the encoded bytes, which cannot be decoded alone (RFC 9110, section 14.2).
    try set(CURLOPT_HTTP_CONTENT_DECODING, request.headers.contains { $0.isNamed("Range") } ? 0 : 1)
  }

  private func setRules() throws(TransferError) {
    try set(CURLOPT_NOSIGNAL, 1)
    // Connections are opened and closed by functions that record their sockets.
    try check(unsafe ccurl_set_sockets(pointer, sockets))
    // Without this option, cutting a transfer that still resolves its host name would wait for the resolver.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_NETRC, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // The path is part of the signature, so it is sent unchanged.
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // libcurl keeps a parsed file of authorities for a day; a replaced file must be noticed sooner.
    try set(CURLOPT_CA_CACHE_TIMEOUT, 60)
    // A resumed session would still have the authorities and the client certificate with which it began.
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    // A name that has moved is followed within a connection's life and the time for which libcurl keeps the resolver's answer.
    let life = max(1, Int(connectionLife.components.seconds))
    try set(CURLOPT_MAXLIFETIME_CONN, life)
    try set(CURLOPT_DNS_CACHE_TIMEOUT, max(1, life / 3))
  }

  private func setDestination(_ request: HTTPRequest) throws(TransferError) {
    if !request.mayBeRepeated { try set(CURLOPT_FRESH_CONNECT, 1) }
    if let caFile = request.caFile { try set(CURLOPT_CAINFO, caFile) }
    // A request with its own file must not trust the system's directory too. The system's file is enough by itself: with a directory beside
    // it, libcurl reads the file's 140 certificates again for each connection (20 ms).
    if request.caFile != nil || Self.hasSystemFile { try set(CURLOPT_CAPATH, nil) }
    if let identity = request.identity { try show(identity) }
    if let socket = request.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, socket) }
    // Without this option, libcurl would search the environment at each request.
    if request.isDirect || request.unixSocket != nil || !Self.mayHaveProxy { try set(CURLOPT_PROXY, "") }
  }

  /// True if the environment of the program's start names proxies.
  private static let mayHaveProxy = ProcessInfo.processInfo.environment.keys.contains {
    $0.lowercased().hasSuffix("_proxy")
  }

  /// True if the system has its authorities in one file, where this libcurl looks for it.
  private static let hasSystemFile = ccurl_has_authorities() != 0

  private func show(_ identity: ClientIdentity) throws(TransferError) {
    try set(CURLOPT_SSLCERT_BLOB, bytes: identity.certificate)
    try set(CURLOPT_SSLKEY_BLOB, bytes: identity.key)
    // Without this password, OpenSSL would ask for one at the terminal.
    try set(CURLOPT_KEYPASSWD, "")
  }

  private func setTimes(_ request: HTTPRequest) throws(TransferError) {
    try set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.wholeMilliseconds)
    if let stall = request.stallTimeout {
      try set(CURLOPT_LOW_SPEED_LIMIT, 1)
      try set(CURLOPT_LOW_SPEED_TIME, (stall.wholeMilliseconds + 999) / 1000)
    }
    if let total = request.totalTimeout { try set(CURLOPT_TIMEOUT_MS, total.wholeMilliseconds) }
  }

  private func setMethodAndBody(_ transfer: Transfer) throws(TransferError) {
    let request = transfer.request
    let method = request.shape.options.method
    if method == "HEAD" { return try set(CURLOPT_NOBODY, 1) }
    // libcurl allocates a buffer of this size for each request, reads a file into it and, for TLS, copies the head and a body in memory
    // into it. Sending a portion delays everything else on the thread.
    try set(CURLOPT_UPLOAD_BUFFERSIZE, Int(min(128 << 10, request.body.count + 2048)))
    switch request.body {
    case .none:
      // These methods send Content-Length even for an empty body; others send none.
      if ["POST", "PUT", "PATCH"].contains(method) { try setBody([]) } else { try set(CURLOPT_HTTPGET, 1) }
    case .bytes(let bytes): try setBody(bytes)
    case .file:
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_INFILESIZE_LARGE, offset: request.body.count)
      try unsafe set(CURLOPT_READFUNCTION, Callbacks.read)
      try set(CURLOPT_READDATA, context: transfer)
      try check(unsafe ccurl_set_seek_function(pointer, Callbacks.seek))
      try set(CURLOPT_SEEKDATA, context: transfer)
    }
  }

  /// Headers that libcurl adds by itself unless they are disabled.
  private static let unwanted = ["Accept", "Content-Type", "Expect"]

  /// Sets the given headers, and disables those that libcurl would add by itself.
  private func addHeaders(_ request: HTTPRequest) throws(TransferError) {
    let sent = request.headers
    let bytes = sent.reduce(64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
    try setHeaders(lines: sent.count + Self.unwanted.count, bytes: bytes) { list in
      for header in sent where !header.isNamed("Content-Length") {
        // A name followed by a colon alone would disable the header; with a semicolon it is sent with an empty value.
        list.add(header.name, header.value.isEmpty ? ";" : ": ", header.value)
      }
      for name in Self.unwanted where !sent.contains(where: { $0.isNamed(name) }) { list.add(name, ":") }
    }
  }
}

extension Duration {
  /// Milliseconds, rounded up and at least 1, because 0 means "no limit" to libcurl; at most about 24 days.
  fileprivate var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < Int64(Int32.max / 1000) else { return Int(Int32.max) }
    guard seconds >= 0 else { return 1 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
