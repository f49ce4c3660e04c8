import Jobs

/// The names that are ready for a claim, in the order in which they became so. A name may be in it twice, or be ready no longer: who
/// takes one asks the table.
struct ReadyNames {
  private var names: [FileName] = []
  /// The index of the first name: those before it were taken.
  private var head = 0

  /// The number of names that are left.
  var count: Int { names.count - head }
  /// The number of names in memory, with those that were taken.
  var length: Int { names.count }

  mutating func add(_ name: FileName) { names.append(name) }

  /// Removes and returns the first name.
  mutating func popFirst() -> FileName? {
    guard head < names.count else { return nil }
    let first = names[head]
    head += 1
    if head == names.count {
      names.removeAll(keepingCapacity: names.count < 1024)
      head = 0
    }
    return first
  }

  /// Keeps each name that is still ready, once.
  mutating func keepOnce(where isReady: (FileName) -> Bool) {
    var seen: Set<FileName> = []
    names = names[head...].filter { isReady($0) && seen.insert($0).inserted }
    head = 0
  }
}
