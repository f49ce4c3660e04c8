// Made by scripts/messages from Table/transfers.txt.

extension Message {
  /// `the name of {peer} cannot be resolved`
  public static func nameUnresolved(peer: String) -> Message {
    Message(code: "name-unresolved", ["peer": .text(peer)])
  }

  /// `no connection to {peer} within {limit}`
  public static func noConnectionWithin(peer: String, limit: Duration) -> Message {
    Message(code: "no-connection-within", ["peer": .text(peer), "limit": .duration(limit)])
  }

  /// `no connection to {peer}: {why}`
  public static func noConnection(peer: String, why: String) -> Message {
    Message(code: "no-connection", ["peer": .text(peer), "why": .text(why)])
  }

  /// `no connection to {peer}: {why} ({detail})`
  public static func noConnectionOf(peer: String, why: String, detail: String) -> Message {
    Message(code: "no-connection-of", ["peer": .text(peer), "why": .text(why), "detail": .text(detail)])
  }

  /// `the TLS handshake with {peer} failed: {why}`
  public static func tlsFailed(peer: String, why: String) -> Message {
    Message(code: "tls-failed", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} speaks no version of TLS that is spoken here: {why}`
  public static func tlsVersion(peer: String, why: String) -> Message {
    Message(code: "tls-version", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the port of {peer} speaks plain HTTP: write http:// ({why})`
  public static func tlsPlain(peer: String, why: String) -> Message {
    Message(code: "tls-plain", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} did not answer in HTTP: if the port speaks TLS, write https:// ({why})`
  public static func tlsWanted(peer: String, why: String) -> Message {
    Message(code: "tls-wanted", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the certificate of {peer} is not accepted: {why} (ca_file names an authority of your own)`
  public static func certificateRefused(peer: String, why: String) -> Message {
    Message(code: "certificate-refused", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the certificate of {peer} is not valid yet by the clock here: {why}`
  public static func certificateNotYetValid(peer: String, why: String) -> Message {
    Message(code: "certificate-not-yet-valid", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the certificate authorities in {file} cannot be read`
  public static func authoritiesUnreadable(file: String) -> Message {
    Message(code: "authorities-unreadable", ["file": .text(file)])
  }

  /// `the client certificate for {peer} cannot be used: {why}`
  public static func clientCertificateUnusable(peer: String, why: String) -> Message {
    Message(code: "client-certificate-unusable", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} wants a client certificate, and none is configured (client_cert): {why}`
  public static func clientCertificateWanted(peer: String, why: String) -> Message {
    Message(code: "client-certificate-wanted", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} refuses the client certificate (client_cert): {why}`
  public static func clientCertificateRefused(peer: String, why: String) -> Message {
    Message(code: "client-certificate-refused", ["peer": .text(peer), "why": .text(why)])
  }

  /// `no way through the proxy to {peer}: {why}`
  public static func noWayThroughProxy(peer: String, why: String) -> Message {
    Message(code: "no-way-through-proxy", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} moved no byte for {time}`
  public static func stalled(peer: String, time: Duration) -> Message {
    Message(code: "stalled", ["peer": .text(peer), "time": .duration(time)])
  }

  /// `{peer} did not answer within {time}`
  public static func noAnswerWithin(peer: String, time: Duration) -> Message {
    Message(code: "no-answer-within", ["peer": .text(peer), "time": .duration(time)])
  }

  /// `the connection to {peer} was lost: {why}`
  public static func connectionLost(peer: String, why: String) -> Message {
    Message(code: "connection-lost", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the connection to {peer} was lost without an answer: {why}. If the port speaks TLS, write https://`
  public static func connectionLostWithoutTls(peer: String, why: String) -> Message {
    Message(code: "connection-lost-without-tls", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{peer} did not answer in HTTP: {why}`
  public static func notHttp(peer: String, why: String) -> Message {
    Message(code: "not-http", ["peer": .text(peer), "why": .text(why)])
  }

  /// `the request cannot be sent: {why}`
  public static func requestCannotBeSent(why: String) -> Message {
    Message(code: "request-cannot-be-sent", ["why": .text(why)])
  }

  /// `{peer} sent a header line that is too long`
  public static func headerTooLong(peer: String) -> Message {
    Message(code: "header-too-long", ["peer": .text(peer)])
  }

  /// `no memory for the transfer`
  public static let noMemoryForTransfer = Message(code: "no-memory-for-transfer")

  /// `the transfer with {peer} failed: {why}`
  public static func transferFailed(peer: String, why: String) -> Message {
    Message(code: "transfer-failed", ["peer": .text(peer), "why": .text(why)])
  }

  /// `{why}, for over an hour: check the name, and whether this host's name servers answer`
  public static func forOverAnHour(why: Message) -> Message {
    Message(code: "for-over-an-hour", ["why": .message(why)])
  }

  /// `{peer} did not end its answer within {limit}`
  public static func answerTooSlow(peer: String, limit: Duration) -> Message {
    Message(code: "answer-too-slow", ["peer": .text(peer), "limit": .duration(limit)])
  }

  /// `{peer} sent more than {limit} bytes of headers`
  public static func headersTooLong(peer: String, limit: some BinaryInteger) -> Message {
    Message(code: "headers-too-long", ["peer": .text(peer), "limit": .number(Int64(clamping: limit))])
  }

  /// `the file ended {wanted} bytes before the length that was to be sent`
  public static func bodyEndedEarly(wanted: some BinaryInteger) -> Message {
    Message(code: "body-ended-early", ["wanted": .number(Int64(clamping: wanted))])
  }

  /// `reading the file failed: {why}`
  public static func bodyUnreadable(why: String) -> Message {
    Message(code: "body-unreadable", ["why": .text(why)])
  }

  /// `the file's descriptor cannot be duplicated: {why}`
  public static func descriptorNotDuplicated(why: String) -> Message {
    Message(code: "descriptor-not-duplicated", ["why": .text(why)])
  }

  /// `libcurl refuses an option: {why}`
  public static func libcurlRefusesOption(why: String) -> Message {
    Message(code: "libcurl-refuses-option", ["why": .text(why)])
  }

  /// `libcurl cannot be set up`
  public static let libcurlNotSetUp = Message(code: "libcurl-not-set-up")

  /// `libcurl cannot go on: {why}`
  public static func libcurlCannotGoOn(why: String) -> Message {
    Message(code: "libcurl-cannot-go-on", ["why": .text(why)])
  }

  /// `no epoll for transfers: {why}`
  public static func noEpoll(why: String) -> Message {
    Message(code: "no-epoll", ["why": .text(why)])
  }

  /// `the body ended short`
  public static let bodyEndedShort = Message(code: "body-ended-short")

  /// `the stream is being read by another task`
  public static let streamReadTwice = Message(code: "stream-read-twice")

  /// `the transfer was cut off`
  public static let transferCutOff = Message(code: "transfer-cut-off")

  /// `the transport was shut down`
  public static let transportShutDown = Message(code: "transport-shut-down")
}
