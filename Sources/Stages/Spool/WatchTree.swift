import Linux

/// The directory of each inotify watch. It does no I/O: it returns the watches that must be removed.
///
/// A watch stays with its directory when that is moved. A move causes three events: one for the old name and one for the new
/// name, which share a cookie, and one for the directory itself. If the third comes without the second, the directory has left
/// the spool.
struct WatchTree {
  private struct Node {
    var folder: Folder
    /// The number of the last scan that found it.
    var scan: Int
  }

  private var nodes: [Inotify.Watch: Node] = [:]
  private var watches: [Folder: Inotify.Watch] = [:]
  private var departed: [UInt32: Folder] = [:]

  var count: Int { nodes.count }

  func folder(of watch: Inotify.Watch) -> Folder? { nodes[watch]?.folder }

  func isWatched(_ folder: Folder) -> Bool { watches[folder] != nil }

  /// Records a directory's watch. Returns the watch that it replaces, if any.
  mutating func add(_ watch: Inotify.Watch, _ folder: Folder, scan: Int) -> [Inotify.Watch] {
    if let known = nodes[watch], known.folder != folder, watches[known.folder] == watch { watches[known.folder] = nil }
    let replaced = watches[folder].flatMap { $0 == watch ? nil : $0 }
    if let replaced { nodes[replaced] = nil }
    nodes[watch] = Node(folder: folder, scan: scan)
    watches[folder] = watch
    return replaced.map { [$0] } ?? []
  }

  /// Records that a watch is gone.
  mutating func ended(_ watch: Inotify.Watch) {
    guard let folder = nodes.removeValue(forKey: watch)?.folder else { return }
    if watches[folder] == watch { watches[folder] = nil }
  }

  /// Forgets a directory and those below it; returns their watches.
  mutating func remove(_ folder: Folder) -> [Inotify.Watch] { remove { folder.holds($0.folder) } }

  /// Forgets the directories that a whole scan did not find; returns their watches.
  mutating func removeUnseen(in scan: Int) -> [Inotify.Watch] { remove { $0.scan < scan } }

  private mutating func remove(where isGone: (Node) -> Bool) -> [Inotify.Watch] {
    let gone = nodes.filter { isGone($1) }.map(\.key)
    for watch in gone { ended(watch) }
    return gone
  }

  /// Handles the event that a directory was moved away from this name.
  mutating func departs(_ folder: Folder, cookie: UInt32) { departed[cookie] = folder }

  /// Handles the event that a directory was moved to this name. Returns its old place if that was in the spool too.
  mutating func arrives(_ folder: Folder, cookie: UInt32) -> Folder? {
    guard let from = departed.removeValue(forKey: cookie) else { return nil }
    let moved = nodes.filter { from.holds($1.folder) }
    for (watch, node) in moved where watches[node.folder] == watch { watches[node.folder] = nil }
    for (watch, node) in moved {
      let now = Folder(path: from.moved(node.folder.path, to: folder))
      nodes[watch]?.folder = now
      watches[now] = watch
    }
    return from
  }

  /// Handles the event of a moved directory itself. Returns true if the directory has left the spool.
  mutating func hasLeft(_ folder: Folder) -> Bool {
    guard let departure = departed.first(where: { $0.value == folder }) else { return false }
    departed[departure.key] = nil
    return true
  }
}
