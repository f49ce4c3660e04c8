/// Lets pass whoever comes once it is open.
final class Gate: Sendable {
  private let (passes, end) = AsyncStream.makeStream(of: Void.self)

  func open() { end.finish() }

  func pass() async { for await _ in passes {} }
}
