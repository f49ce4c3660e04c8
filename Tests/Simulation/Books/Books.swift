/// What was dropped and what people have asked for, kept outside of the program under test.
package struct Books: Codable, Hashable, Sendable {
  /// A version of a dropped file.
  package struct Version: Codable, Hashable, Sendable {
    /// Its contents.
    package var contents: FileVersion
    /// When it was whole.
    package var at: Duration
    /// True if its dropper has changed or replaced it, so that nobody need have it any more.
    package var mayBeGone = false
    /// True if its dropper has set its time after it was whole, so that it may count as another file.
    package var mayRepeat = false
  }

  /// A dropped file.
  package struct Entry: Codable, Hashable, Sendable {
    /// Its drop.
    package var drop: Drop
    /// Its versions, in the order in which they were whole.
    package var versions: [Version]
    /// True if a person has discarded it.
    package var isDiscarded = false
    /// True if a person has had it released.
    package var isReleased = false
  }

  /// A time in which nothing of a job may be sent.
  package struct Stop: Codable, Hashable, Sendable {
    /// The job's id.
    package var id: String
    /// The time at which the person had the answer that it is stopped.
    package var from: Duration
    /// The time at which a person asked for it again; nil if nobody has.
    package var until: Duration?
  }

  /// The dropped files by number, in order.
  package internal(set) var entries: [Entry] = []
  /// What people have stopped.
  package internal(set) var stops: [Stop] = []

  /// Empty books.
  package init() {}

  /// A file is whole, or another version of it is.
  package mutating func finished(_ drop: Drop, _ contents: FileVersion, at now: Duration) {
    let version = Version(contents: contents, at: now)
    if let index = index(of: drop.number) {
      entries[index].versions.append(version)
    } else {
      entries.append(Entry(drop: drop, versions: [version]))
    }
  }

  /// Its dropper has written over all versions so far, or replaced them before anybody has taken them.
  package mutating func overwritten(file: Int) {
    guard let index = index(of: file) else { return }
    for version in entries[index].versions.indices { entries[index].versions[version].mayBeGone = true }
  }

  /// Its dropper has set its time.
  package mutating func touched(file: Int) {
    guard let index = index(of: file) else { return }
    for version in entries[index].versions.indices { entries[index].versions[version].mayRepeat = true }
  }

  /// A person was answered that a job is cancelled, or it was aborted: nothing of it may be sent from now on.
  package mutating func stopped(id: String, at now: Duration) {
    guard !stops.contains(where: { $0.id == id && $0.until == nil }) else { return }
    stops.append(Stop(id: id, from: now))
  }

  /// A person is about to ask for a job again.
  package mutating func resumed(id: String, at now: Duration) {
    for index in stops.indices where stops[index].id == id && stops[index].until == nil { stops[index].until = now }
  }

  /// A person is about to discard the job of a file.
  package mutating func discarded(name: String) {
    for index in entries.indices where entries[index].drop.name == name { entries[index].isDiscarded = true }
  }

  /// A person is about to have a file released.
  package mutating func released(name: String) {
    for index in entries.indices where entries[index].drop.name == name { entries[index].isReleased = true }
  }

  func index(of file: Int) -> Int? { entries.firstIndex { $0.drop.number == file } }
}
