import Linux

/// The work that could be done now. Within a line it is done in order; which line goes on is chosen by chance.
struct ReadyWork {
  typealias Body = @Sendable () -> Void

  private enum Entry {
    case line(Int)
    case loose(Body)
  }

  private struct Line {
    let name: String
    var bodies: [Body] = []
    var head = 0
    /// True while it waits although it has work: the thread that it stands for is slow.
    var isHeld = false

    var isEmpty: Bool { head == bodies.count }

    mutating func takeFirst() -> Body {
      let body = bodies[head]
      head += 1
      if head == bodies.count {
        bodies.removeAll(keepingCapacity: true)
        head = 0
      }
      return body
    }
  }

  enum Choice {
    case run(String, Body)
    case hold(Int)
  }

  private var lines: [Line] = []
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  var isHeldBack: Bool { lines.contains { $0.isHeld && !$0.isEmpty } }

  mutating func makeLine(_ name: String) -> Int {
    lines.append(Line(name: name))
    return lines.count - 1
  }

  mutating func add(_ body: @escaping Body, to line: Int?) {
    guard let line else { return entries.append(.loose(body)) }
    if lines[line].isEmpty, !lines[line].isHeld { entries.append(.line(line)) }
    lines[line].bodies.append(body)
  }

  mutating func takeAll(of line: Int) -> [Body] {
    var bodies: [Body] = []
    while !lines[line].isEmpty { bodies.append(lines[line].takeFirst()) }
    entries.removeAll { if case .line(line) = $0 { true } else { false } }
    return bodies
  }

  /// Takes work by chance; nil if there is none. One in `slow` choices makes a line slow instead.
  mutating func take(slow: Int, using numbers: inout some RandomNumberGenerator) -> Choice? {
    guard !entries.isEmpty else { return nil }
    let index = entries.count == 1 ? 0 : Int.random(in: 0..<entries.count, using: &numbers)
    switch entries[index] {
    case .loose(let body):
      remove(at: index)
      return .run("pool", body)
    case .line(let line):
      if slow > 0, Int.random(in: 0..<slow, using: &numbers) == 0 {
        lines[line].isHeld = true
        remove(at: index)
        return .hold(line)
      }
      let body = lines[line].takeFirst()
      if lines[line].isEmpty { remove(at: index) }
      return .run(lines[line].name, body)
    }
  }

  mutating func release(_ line: Int) {
    lines[line].isHeld = false
    if !lines[line].isEmpty { entries.append(.line(line)) }
  }

  private mutating func remove(at index: Int) {
    entries.swapAt(index, entries.count - 1)
    entries.removeLast()
  }
}
