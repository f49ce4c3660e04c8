import Jobs

/// The directories of a spool of groups that are not claimed yet. It does no I/O and reads no clock.
struct GroupCandidates {
  typealias Instant = ContinuousClock.Instant

  struct Group: Equatable {
    /// The state at the last check: `unseen` if there was none, `incomplete`, `settling`, `open` or `refused`. A `ready` group is claimed
    /// as soon as there is room, unless it has changed or is open for writing then.
    var phase = FileStatus.Reason.unseen
    /// The file of it that a program has open for writing, if it is `open`.
    var openFile: FileName?
    /// The sum at the last check, and the time since which it has been the same.
    var sum: GroupSum?
    var since: Instant
    /// The time of the next check; nil if only an event or a scan leads to one.
    var due: Instant?
    var owner: UInt32?
  }

  /// The names of one owner's groups that are due or ready, each in the order of their turns. Some may not be due or ready any more.
  private struct Turns {
    var due = Deadlines<FileName>()
    var ready = ReadyNames()
    /// The owner's last turn. Owners take turns, so that one owner's large groups keep nobody else's waiting.
    var last = 0
  }

  private let limit: Int
  private(set) var table: [FileName: Group] = [:]
  private var turns: [UInt32?: Turns] = [:]
  private var lastTurn = 0
  private var crowd = Crowd()
  private(set) var readyCount = 0

  var count: Int { table.count }
  var nextDeadline: Instant? { turns.values.compactMap(\.due.first).min() }

  /// - Parameter limit: the maximum number of groups in memory (``Crowd``); a scan finds the others.
  init(limit: Int = 16_384) { self.limit = limit }

  var counts: [FileStatus.Reason: Int] { table.values.reduce(into: [:]) { $0[$1.phase, default: 0] += 1 } }

  /// Plans the check of a group, because a scan or an event found it or something in it.
  mutating func met(_ name: FileName, owner: UInt32? = nil, now: Instant, after pause: Duration = .zero) {
    guard table[name] != nil || table.count < limit || makeRoom(for: owner) else { return }
    var group = table[name] ?? Group(since: now)
    group.owner = owner ?? group.owner
    group.due = min(group.due ?? now + pause, now + pause)
    replace(name, group)
  }

  private mutating func makeRoom(for owner: UInt32?) -> Bool {
    let leavers = crowd.leavers(for: owner) {
      table.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: $1.isStuck, since: $1.since) }
    }
    for name in leavers { forget(name) }
    return !leavers.isEmpty
  }

  mutating func forget(_ name: FileName) { replace(name, nil) }

  mutating func forgetAll() { self = GroupCandidates(limit: limit) }

  private mutating func replace(_ name: FileName, _ group: Group?) {
    let known = table[name]
    if let known { crowd.count(known.owner, isStuck: known.isStuck, -1) }
    if known?.phase == .ready { readyCount -= 1 }
    table[name] = group
    assert(readyCount >= 0 && table.count <= limit, "more groups than there is room for, or fewer than none")
    guard let group else { return }
    crowd.count(group.owner, isStuck: group.isStuck, 1)
    if let due = group.due, known?.due != due { turns[group.owner, default: Turns()].due.add(name, at: due) }
    guard group.phase == .ready else { return }
    readyCount += 1
    if known?.phase != .ready { turns[group.owner, default: Turns()].ready.add(name) }
  }

  /// Gives a turn to the owner who has waited longest, among those whose turns satisfy the condition.
  private mutating func takeTurn(where isReady: (Turns) -> Bool) -> UInt32?? {
    guard let next = turns.filter({ isReady($1) }).min(by: { $0.value.last < $1.value.last }) else { return nil }
    lastTurn += 1
    turns[next.key]?.last = lastTurn
    return .some(next.key)
  }

  /// Removes what is neither due nor ready any more, so that the turns do not outgrow the table.
  private mutating func prune() {
    guard turns.values.reduce(0, { $0 + $1.due.count + $1.ready.length }) > 4 * table.count + 1024 else { return }
    turns = [:]
    for (name, group) in table {
      if let due = group.due { turns[group.owner, default: Turns()].due.add(name, at: due) }
      if group.phase == .ready { turns[group.owner, default: Turns()].ready.add(name) }
    }
  }

  /// Returns a group whose check is due, and forgets the due time.
  mutating func next(now: Instant) -> FileName? {
    prune()
    while let owner = takeTurn(where: { $0.due.first.map { $0 <= now } ?? false }) {
      guard let entry = turns[owner]?.due.popDue(at: now), var group = table[entry.name], group.due == entry.moment
      else { continue }
      group.due = nil
      replace(entry.name, group)
      return entry.name
    }
    return nil
  }

  /// Records the result of a check. `age` is the time since the last change in it; nil if file times come from another machine's clock.
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

  /// Takes a group that is ready, with the sum of its last check. Before the claim, the group must be checked once more.
  mutating func takeReady() -> (name: FileName, sum: GroupSum?)? {
    while readyCount > 0, let owner = takeTurn(where: { $0.ready.count > 0 }) {
      guard let name = turns[owner]?.ready.popFirst(), let group = table[name], group.phase == .ready else { continue }
      set(name, .settling, due: nil)
      return (name, group.sum)
    }
    return nil
  }

  mutating func set(_ name: FileName, _ phase: FileStatus.Reason, _ openFile: FileName? = nil, due: Instant?) {
    guard var group = table[name] else { return }
    group.phase = phase
    group.openFile = openFile
    group.due = due
    replace(name, group)
  }
}

extension GroupCandidates.Group {
  fileprivate var isStuck: Bool { phase != .ready && phase != .unseen }
}
