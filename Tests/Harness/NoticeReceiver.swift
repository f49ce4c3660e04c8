import ChildProcesses
import Foundation
import LoopbackPeer
import Synchronization

struct NoticeReceiver: Sendable {
  private final class Book: Sendable {
    struct Content {
      var answer = "200"
      var requests: [JSONValue] = []
    }

    let content = Mutex(Content())
  }

  let folder: URL
  private let book: Book
  private let peer: LoopbackPeer

  var url: String { peer.url }

  init(in folder: URL) throws {
    let book = Book()
    (self.folder, self.book) = (folder, book)
    peer = try LoopbackPeer { request in
      // What a backend is asked besides is not of interest.
      guard ["GET", "POST"].contains(request.method) else { return .answer(501) }
      let headers = request.headers.map { ($0[0].lowercased(), JSONValue.string($0[1])) }
      let answer = book.content.withLock { content in
        content.requests.append([
          "method": .string(request.method), "path": .string(request.target),
          "headers": .object(Dictionary(headers) { $1 }),
          "body": .string(String(decoding: request.body, as: UTF8.self)), "answer": .string(content.answer),
        ])
        return content.answer
      }
      guard let status = Int(answer) else { return .hold }
      return .answer(status, [:], "OK")
    }
  }

  func answers(_ words: String) { book.content.withLock { $0.answer = words } }

  func requests(_ path: String) -> [JSONValue] {
    book.content.withLock { $0.requests }.filter { $0.path.string == path }
  }

  @discardableResult
  func got(
    _ path: String, after count: Int = 0, line: Int = #line, _ isIt: (JSONValue) -> Bool = { _ in true }
  ) async throws -> JSONValue {
    try await until("a request to \(path)", line: line) { requests(path).dropFirst(count).first(where: isIt) }
  }

  func notices(_ path: String) throws -> [JSONValue] {
    try requests(path).filter { $0.answer == "200" }.flatMap {
      try JSONValue(parsing: $0.body.string ?? "").notices.array
    }
  }
}
