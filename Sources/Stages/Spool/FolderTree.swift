import Linux

/// Values of directories, in the tree that these form: a directory moves with all that is below it in one step, and no step goes through
/// the directories beside it.
struct FolderTree<Value: Sendable>: Sendable {
  /// A directory in the tree. It stays the same when the directory moves.
  struct Place: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct Node: Sendable {
    var name: [UInt8]
    var above: Place
    var below: [[UInt8]: Place] = [:]
    var value: Value?
  }

  private let spool = Place(number: 0)
  private var nodes: [Place: Node]
  private var last = 0

  init() { nodes = [spool: Node(name: [], above: spool)] }

  /// Returns the place of a directory; nil if neither it nor one below it has a value.
  func place(of folder: Folder) -> Place? {
    var place = spool
    for name in folder.names {
      guard let next = nodes[place]?.below[name] else { return nil }
      place = next
    }
    return place
  }

  func folder(at place: Place) -> Folder {
    var names: [[UInt8]] = []
    var place = place
    while place != spool, let node = nodes[place] {
      names.append(node.name)
      place = node.above
    }
    return Folder(path: Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
  }

  subscript(place: Place) -> Value? { nodes[place]?.value }

  subscript(folder: Folder) -> Value? { place(of: folder).flatMap { self[$0] } }

  /// Gives a directory a value, and returns its place.
  @discardableResult
  mutating func set(_ value: Value, of folder: Folder) -> Place {
    let place = makePlace(of: folder)
    nodes[place]?.value = value
    return place
  }

  /// Changes the value of a directory, which has one.
  mutating func change(_ place: Place, _ change: (inout Value?) -> Void) {
    // It is taken out, so that it is changed in place.
    var value = nodes[place]?.value
    nodes[place]?.value = nil
    change(&value)
    nodes[place]?.value = value
    prune(place)
  }

  private mutating func makePlace(of folder: Folder) -> Place {
    var place = spool
    for name in folder.names {
      if let next = nodes[place]?.below[name] {
        place = next
      } else {
        last += 1
        let next = Place(number: last)
        nodes[next] = Node(name: name, above: place)
        nodes[place]?.below[name] = next
        place = next
      }
    }
    return place
  }

  /// Removes places that have neither a value nor anything below them, from this one upwards.
  private mutating func prune(_ place: Place) {
    var place = place
    while place != spool, let node = nodes[place], node.value == nil, node.below.isEmpty {
      nodes[place] = nil
      nodes[node.above]?.below[node.name] = nil
      place = node.above
    }
  }

  /// Returns the places of a directory and of those below it, parents first, as long as `mayGoOn` says so of each.
  func forEach(from folder: Folder, _ mayGoOn: (Place, Value?) -> Bool) {
    guard let top = place(of: folder) else { return }
    var pending = [top]
    while let place = pending.popLast(), let node = nodes[place], mayGoOn(place, node.value) {
      pending += node.below.values
    }
  }

  /// Removes a directory with all below it, and returns the values.
  mutating func remove(_ folder: Folder) -> [Value] {
    guard let top = place(of: folder), let node = nodes[top] else { return [] }
    var (values, pending): ([Value], [Place]) = ([], [top])
    while let place = pending.popLast(), let node = nodes.removeValue(forKey: place) {
      if let value = node.value { values.append(value) }
      pending += node.below.values
    }
    if top == spool {
      self = FolderTree()
    } else {
      nodes[node.above]?.below[node.name] = nil
      prune(node.above)
    }
    return values
  }

  /// Moves a directory with all below it. Returns the values of what was at its new place.
  mutating func move(_ from: Folder, to folder: Folder) -> [Value] {
    guard let top = place(of: from), top != spool, let node = nodes[top], let (above, name) = folder.above else {
      return []
    }
    nodes[node.above]?.below[node.name] = nil
    prune(node.above)
    let displaced = remove(folder)
    let place = makePlace(of: above)
    nodes[place]?.below[name] = top
    nodes[top]?.name = name
    nodes[top]?.above = place
    return displaced
  }
}

/// The directory of each inotify watch. It does no I/O: it returns the watches that must be removed.
///
/// A watch stays with its directory when that is moved. A move causes three events: one for the old name and one for the new
/// name, which share a cookie, and one for the directory itself. If the third comes without the second, the directory has left
/// the spool.
struct WatchTree: Sendable {
  private struct Node {
    let watch: Inotify.Watch
    /// The number of the last scan that found it.
    let scan: Int
  }

  /// The maximum number of moves whose second event has not come. The three events of one come close together.
  private static let mostDeparted = 64

  private var tree = FolderTree<Node>()
  private var places: [Inotify.Watch: FolderTree<Node>.Place] = [:]
  private var departed: [(cookie: UInt32, folder: Folder)] = []

  var count: Int { places.count }

  func folder(of watch: Inotify.Watch) -> Folder? { places[watch].map { tree.folder(at: $0) } }

  func isWatched(_ folder: Folder) -> Bool { tree[folder] != nil }

  /// Records a directory's watch. Returns the watch that it replaces, if any.
  mutating func add(_ watch: Inotify.Watch, _ folder: Folder, scan: Int) -> [Inotify.Watch] {
    if let known = places[watch], known != tree.place(of: folder) { ended(watch) }
    let replaced = tree[folder].flatMap { $0.watch == watch ? nil : $0.watch }
    if let replaced { places[replaced] = nil }
    places[watch] = tree.set(Node(watch: watch, scan: scan), of: folder)
    return replaced.map { [$0] } ?? []
  }

  /// Records that a watch is gone.
  mutating func ended(_ watch: Inotify.Watch) {
    if let place = places.removeValue(forKey: watch) { tree.change(place) { $0 = nil } }
  }

  /// Forgets a directory and those below it; returns their watches.
  mutating func remove(_ folder: Folder) -> [Inotify.Watch] { forget(tree.remove(folder)) }

  /// Forgets the directories that a whole scan did not find; returns their watches.
  mutating func removeUnseen(in scan: Int) -> [Inotify.Watch] {
    let gone = places.filter { tree[$1].map { $0.scan < scan } ?? true }.map(\.key)
    for watch in gone { ended(watch) }
    return gone
  }

  private mutating func forget(_ nodes: [Node]) -> [Inotify.Watch] {
    for node in nodes { places[node.watch] = nil }
    return nodes.map(\.watch)
  }

  /// Handles the event that a directory was moved away from this name.
  mutating func departs(_ folder: Folder, cookie: UInt32) {
    if departed.count == Self.mostDeparted { departed.removeFirst() }
    departed.append((cookie, folder))
  }

  /// Handles the event that a directory was moved to this name. Returns its old place if that was in the spool too.
  mutating func arrives(_ folder: Folder, cookie: UInt32) -> Folder? {
    guard let index = departed.firstIndex(where: { $0.cookie == cookie }) else { return nil }
    let from = departed.remove(at: index).folder
    _ = forget(tree.move(from, to: folder))
    return from
  }

  /// Handles the event of a moved directory itself. Returns true if the directory has left the spool.
  mutating func hasLeft(_ folder: Folder) -> Bool {
    guard let index = departed.firstIndex(where: { $0.folder == folder }) else { return false }
    departed.remove(at: index)
    return true
  }
}
