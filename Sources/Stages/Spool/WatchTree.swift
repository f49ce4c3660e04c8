import Linux

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
