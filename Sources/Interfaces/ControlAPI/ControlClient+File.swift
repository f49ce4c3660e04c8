import HTTPTransfer
public import Jobs

/// The file of a stopped job, as it is read.
public struct FileFeed: Sendable {
  /// The revision of the job: a release with it is refused if the job has changed since.
  public let revision: Int64
  /// The length of the file in bytes.
  public let size: Int64
  fileprivate let socket: String
  fileprivate let body: HTTPStream.Body

  /// Reads the file piece by piece.
  ///
  /// - Throws: ``ControlError`` if not all of it came; and what `body` throws.
  public func forEachPiece(_ body: ([UInt8]) throws -> Void) async throws {
    var pieces = self.body.makeAsyncIterator()
    var read: Int64 = 0
    while let piece = try await next(&pieces) {
      read += Int64(piece.count)
      try body(piece)
    }
    guard read == size else { throw ControlError.unreadable(socket: socket, words: "\(read) of \(size) bytes came") }
  }

  private func next(_ pieces: inout HTTPStream.Body.Iterator) async throws(ControlError) -> [UInt8]? {
    do throws(TransferError) {
      return try await pieces.next()
    } catch {
      throw ControlError(error, socket: socket)
    }
  }
}

extension ControlClient {
  /// The time for which a file may bring nothing: the daemon gives its file system 30 s.
  private static let fileSilence = Duration.seconds(60)

  /// The time until the head of the answer: the daemon gives the file system 30 s for the open, and then sends it at once.
  private static let openPatience = Duration.seconds(40)

  /// Opens the file of an aborted or cancelled job. Its release is another call.
  public func file(_ reference: JobReference) async throws(ControlError) -> FileFeed {
    let stream = try await open(
      HTTPRequest(
        method: "GET", url: "http://localhost/v1/jobs/\(reference)/file", connectTimeout: patience,
        stallTimeout: Self.fileSilence, unixSocket: socket), within: max(patience, Self.openPatience))
    guard stream.status == 200 else { throw .problem(try await problem(stream)) }
    guard let revision = stream.headers[first: "Waybill-Revision"].flatMap({ Int64($0) }),
      let size = stream.headers[first: "Content-Length"].flatMap({ Int64($0) })
    else { throw .unreadable(socket: socket, words: "it does not give a file") }
    return FileFeed(revision: revision, size: size, socket: socket, body: stream.body)
  }
}
