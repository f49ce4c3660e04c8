import Jobs

/// The directories of a spool of groups that are not claimed yet. It does no I/O and reads no clock.
///
/// A group is ready when its marker exists and nothing in it has changed for `settle_unseen`. When its turn comes, it is claimed
/// if it has not changed since and none of its files is open for writing.
struct GroupCandidates {
  typealias Instant = ContinuousClock.Instant

  /// The state of a group at the last check.
  enum Phase: Equatable {
    /// It was not checked yet.
    case unseen
    /// Its marker is missing.
    case incomplete
    /// Something in it has changed recently.
    case settling
    /// It is to be claimed as soon as there is room, unless it has changed or is open for writing then.
    case ready
    /// A program has a file of it open for writing.
    case open(FileName)
    /// It cannot be taken in its present form.
    case refused
  }

  struct Group: Equatable {
    var phase = Phase.unseen
    /// The sum at the last check, and the time since which it has been the same.
    var sum: GroupSum?
    var since: Instant
    /// The time of the next check; nil if only an event or a scan leads to one.
    var due: Instant?
  }

  /// The maximum number of groups that are kept; a scan finds the others.
  static let limit = 16_384

  private(set) var table: [FileName: Group] = [:]
  /// The number of groups that are ready.
  private(set) var readyCount = 0

  var count: Int { table.count }
  var nextDeadline: Instant? { table.values.lazy.compactMap(\.due).min() }

  /// The number of groups whose state satisfies the condition.
  func count(where condition: (Phase) -> Bool) -> Int { table.values.count { condition($0.phase) } }

  /// Plans the check of a group, because a scan or an event found it or something in it.
  mutating func met(_ name: FileName, now: Instant, after pause: Duration = .zero) {
    guard table[name] != nil || table.count < Self.limit else { return }
    var group = table[name] ?? Group(since: now)
    group.due = min(group.due ?? now + pause, now + pause)
    replace(name, group)
  }

  mutating func forget(_ name: FileName) { replace(name, nil) }

  mutating func forgetAll() { self = GroupCandidates() }

  private mutating func replace(_ name: FileName, _ group: Group?) {
    if table[name]?.phase == .ready { readyCount -= 1 }
    table[name] = group
    if group?.phase == .ready { readyCount += 1 }
  }

  /// Returns a group whose check is due.
  func next(now: Instant) -> FileName? { table.first { $0.value.due.map { $0 <= now } ?? false }?.key }

  /// Records the result of a check.
  ///
  /// - Parameters:
  ///   - age: the time since the last change in it; nil if the file system's times come from another machine's clock.
  ///   - stillness: the time for which it must be unchanged.
  mutating func saw(_ name: FileName, _ look: GroupLook, age: Duration?, stillness: Duration, now: Instant) {
    guard var group = table[name] else { return }
    defer { replace(name, group) }
    group.due = nil
    if group.sum != look.sum {
      group.sum = look.sum
      group.since = now
    }
    guard look.hasMarker else {
      group.phase = .incomplete
      return
    }
    group.phase = .settling
    let seen = now - group.since
    let still = age.map { $0 < .zero ? seen : max(seen, $0) } ?? seen
    guard still < stillness else { return group.phase = .ready }
    group.due = now + min(stillness - still, stillness)
  }

  /// Returns a group that is ready, with the sum of the last check. It must be checked once more before its claim, and is not
  /// ready any more.
  mutating func takeReady() -> (name: FileName, sum: GroupSum?)? {
    guard readyCount > 0, let (name, group) = table.first(where: { $0.value.phase == .ready }) else { return nil }
    set(name, .settling, due: nil)
    return (name, group.sum)
  }

  mutating func set(_ name: FileName, _ phase: Phase, due: Instant?) {
    guard var group = table[name] else { return }
    group.phase = phase
    group.due = due
    replace(name, group)
  }
}
