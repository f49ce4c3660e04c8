import Simulation

/// The amount of work that is done for what happens, over spans of virtual time. A daemon that wakes again and again for nothing does
/// much of it, also while the clock goes on between.
struct WorkPace: Sendable {
  static let span: Int64 = 10_000_000
  /// The most pieces of work in a span in which nothing happens.
  private static let leastWork = 3000
  /// The further ones for each file that may be there: all of them may come at once, with a spool that is back.
  private static let mostForFile = 60
  /// The further ones for each thing that happens: a step of a dropper, a request, a command.
  private static let mostForOne = 300
  /// The most requests of one method about one subject in a span.
  private static let mostRequests = 30

  private let mostWork: Int
  private var end: Int64
  private var work = 0
  private var events = 0
  private var requests: [String: Int] = [:]
  /// The most that was seen: work beyond what happened, and requests about one subject.
  private(set) var worst = (work: 0, requests: 0)

  /// A pace that begins at a time, in microseconds, in a world of so many files.
  init(from begin: Int64, files: Int) {
    end = begin + Self.span
    mostWork = Self.leastWork + files * Self.mostForFile
  }

  mutating func worked() { work += 1 }

  mutating func happened() { events += 1 }

  /// A request was sent. About a bucket or a list of all there may be any number of them, and for grants, each for another upload.
  mutating func sent(_ method: String, _ path: String) {
    events += 1
    guard path.split(separator: "/").count > 1, !"/\(path)".contains(ModelBackend.uploadsPath) else { return }
    requests["\(method) \(path)", default: 0] += 1
  }

  /// Returns what was too much, in words, once a span has ended.
  mutating func look(at now: Int64) -> String? {
    guard now >= end else { return nil }
    defer {
      end = now + Self.span
      (work, events) = (0, 0)
      requests.removeAll(keepingCapacity: true)
    }
    let most = requests.max { ($0.value, $1.key) < ($1.value, $0.key) }
    worst = (max(worst.work, work - events * Self.mostForOne), max(worst.requests, most?.value ?? 0))
    if work > mostWork + events * Self.mostForOne {
      return "it spins: \(work) pieces of work within \(Self.span / 1_000_000) s in which \(events) things happened"
    }
    if let most, most.value > Self.mostRequests {
      return "it asks again and again: \(most.value) times \(most.key) within \(Self.span / 1_000_000) s"
    }
    return nil
  }
}
