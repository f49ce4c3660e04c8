/// What was dropped and what people have asked for, kept outside of the program under test.
package struct Books: Codable, Hashable, Sendable {
  package struct Version: Codable, Hashable, Sendable {
    package var contents: FileVersion
    package var at: Duration
    /// True if its dropper has changed or replaced it, so that nobody need have it any more.
    package var mayBeGone = false
    /// True if its dropper has set its time after it was whole, so that it may count as another file.
    package var mayRepeat = false
  }

  package struct Entry: Codable, Hashable, Sendable {
    package var drop: Drop
    /// Its versions, in the order in which they were whole.
    package var versions: [Version]
    /// True if its dropper has set its time.
    package var isTouched = false
    /// True if a person has discarded it or had it released.
    package var isGivenUp = false
  }

  /// A time in which nothing of a job may be sent.
  package struct Stop: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// The time at which the person had the answer that it is stopped.
    package var from: Duration
    /// The time at which a person asked for it again; nil if nobody has.
    package var until: Duration?
  }

  /// The dropped files by number, in order.
  package internal(set) var entries: [Entry] = []
  package internal(set) var stops: [Stop] = []
  /// The times at which people last asked for jobs again, by id.
  private var resumes: [String: Duration] = [:]

  /// The ids of jobs about which a person was asked if they are to send again what may have been sent.
  package internal(set) var repeats: [String] = []
  package internal(set) var hasLostLedger = false
  /// The ids of jobs that have lost a value of a row. What becomes of them is nobody's promise, but all others are as before.
  package internal(set) var damaged: [String] = []
  package var commands = 0
  /// The ids of jobs whose objects a person had removed.
  package internal(set) var removed: [String] = []
  /// The names of all that is ever dropped, whole or not.
  package internal(set) var names: [String]
  /// The directories of spools whose files are archived, in whatever configuration.
  package internal(set) var archives: [String]
  package internal(set) var keeps: [String]
  /// The directories of spools whose files with earlier bytes are not sent.
  package internal(set) var skips: [String]
  /// The buckets of storages whose objects may be replaced, in any configuration.
  package internal(set) var overwrites: [String]

  /// The buckets whose objects must have a lock or an encryption, each with its header.
  package internal(set) var seals: [Seal]
  /// The hosts of backends and the buckets that the files of a spool may go to, by its directory. Only ever looked up.
  private var ways: [String: Set<String>] = [:]
  /// The beginnings of the names that spools take, by their directories. Only ever looked up.
  private var prefixes: [String: String] = [:]

  /// A bucket, and the header that each of its objects must have.
  package struct Seal: Codable, Hashable, Sendable {
    var bucket: String
    var mark: FarHeader
  }

  /// The buckets whose storage has more than one name in the scenario's configurations.
  package internal(set) var renamed: [String]

  package init(_ scenario: Scenario) {
    names = scenario.drops.map(\.name)
    let plans = scenario.configurations
    let spools = plans.flatMap(\.spools)
    archives = scenario.configuration.spools.map(\.directory)
      .filter { directory in spools.allSatisfy { $0.directory != directory || $0.archives } }
    keeps = spools.filter(\.keeps).map(\.directory)
    skips = spools.filter(\.skipsDuplicates).map(\.directory)
    let storages = plans.flatMap(\.storages)
    renamed = Set(storages.map(\.bucket)).sorted()
      .filter { bucket in Set(storages.filter { $0.bucket == bucket }.map(\.name)).count > 1 }
    overwrites = plans.flatMap(\.storages).filter(\.overwrites).map(\.bucket)
    seals = scenario.configuration.storages.compactMap { storage in
      storage.seal.map { Seal(bucket: storage.bucket, mark: $0.mark) }
    }
    for plan in plans {
      for spool in plan.spools {
        prefixes[spool.directory] = spool.prefix
        let buckets = plan.storages.filter { $0.name == spool.storage }.map(\.bucket)
        let hosts = plan.backends.filter { $0.name == spool.backend }.map(\.host)
        ways[spool.directory, default: []].formUnion(buckets + hosts)
      }
    }
  }

  /// True if the files of a drop may go to a backend by its host, or to a bucket.
  func mayGo(_ drop: Drop, to place: String) -> Bool { ways[drop.spool]?.contains(place) ?? true }

  /// True if its spool takes no file of that name.
  func isIgnored(_ drop: Drop) -> Bool { prefixes[drop.spool].map { !drop.name.hasPrefix($0) } ?? false }

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
  /// - Parameter sum: the only one that was replaced; nil for all.
  package mutating func overwritten(file: Int, sum: ContentSum? = nil) {
    guard let index = index(of: file) else { return }
    for version in entries[index].versions.indices
    where sum == nil || entries[index].versions[version].contents.parts.first?.sum == sum {
      entries[index].versions[version].mayBeGone = true
    }
  }

  /// Its dropper has set its time. Where files stay, their bytes decide, and it is the same file still. But after a loss of what was sent,
  /// it is one that came later.
  package mutating func touched(file: Int) {
    guard let index = index(of: file) else { return }
    entries[index].isTouched = true
    guard !keeps.contains(entries[index].drop.spool) || hasLostLedger else { return }
    for version in entries[index].versions.indices { entries[index].versions[version].mayRepeat = true }
  }

  /// A person is about to have the object of a job removed.
  package mutating func mayBeRemoved(id: String) { if !removed.contains(id) { removed.append(id) } }

  /// A person was answered that a job is cancelled, or it was aborted: nothing of it may be sent, unless it was wanted again since `asked`.
  package mutating func stopped(id: String, name: String = "", asked: Duration? = nil, at now: Duration) {
    if let resumed = resumes[id], resumed >= asked ?? now { return }
    guard !stops.contains(where: { $0.id == id && $0.until == nil }) else { return }
    stops.append(Stop(id: id, name: name, from: now))
  }

  package mutating func resumed(id: String, at now: Duration) {
    resumes[id] = now
    for index in stops.indices where stops[index].id == id && stops[index].until == nil { stops[index].until = now }
  }

  /// A person is about to answer that a file is to be sent although it may have been.
  package mutating func mayRepeat(id: String) { if !repeats.contains(id) { repeats.append(id) } }

  /// A person is about to have a job tried again that was stopped. If its file was touched since, another job may have sent it, and the person
  /// wants both.
  package mutating func retried(id: String, name: String) {
    if entries.contains(where: { $0.drop.name == name && $0.isTouched }) { mayRepeat(id: id) }
  }

  /// What was written to the ledger since a time is lost, and with it the list of what was sent, and what people have stopped: they are
  /// told so.
  package mutating func lostLedger(since begin: Duration = .zero) {
    hasLostLedger = true
    stops.removeAll { $0.from >= begin }
  }

  package mutating func damage(id: String, name: String, at now: Duration) {
    damaged.append(id)
    mayBeRemoved(id: id)
    resumed(id: id, at: now)
    givenUp(name: name)
  }

  /// True if an id, or a text that has one in it, is of a job with a damaged row.
  package func isDamaged(_ text: String) -> Bool { damaged.contains { text.contains($0) } }

  package mutating func givenUp(name: String) {
    for index in entries.indices where entries[index].drop.name == name { entries[index].isGivenUp = true }
  }

  func index(of file: Int) -> Int? { entries.firstIndex { $0.drop.number == file } }
}
