import LinuxFiles

/// Which directory each watch is of. No I/O: watches that are to be given up are handed back.
///
/// A watch goes with its directory wherever that is moved, and the hints of a move are three: from where and to where, which
/// share a cookie, and that it itself was moved. Where the third comes without the second, it has left the spool.
struct WatchTree {
  private struct Node {
    var folder: Folder
    /// The scan that saw it last.
    var scan: Int
  }

  private var nodes: [Inotify.Watch: Node] = [:]
  private var watches: [Folder: Inotify.Watch] = [:]
  private var departed: [UInt32: Folder] = [:]

  var count: Int { nodes.count }

  func folder(of watch: Inotify.Watch) -> Folder? { nodes[watch]?.folder }

  func isWatched(_ folder: Folder) -> Bool { watches[folder] != nil }

  /// Takes note of a directory's watch.
  mutating func add(_ watch: Inotify.Watch, _ folder: Folder, scan: Int) -> [Inotify.Watch] {
    if let known = nodes[watch], known.folder != folder, watches[known.folder] == watch { watches[known.folder] = nil }
    let replaced = watches[folder].flatMap { $0 == watch ? nil : $0 }
    if let replaced { nodes[replaced] = nil }
    nodes[watch] = Node(folder: folder, scan: scan)
    watches[folder] = watch
    return replaced.map { [$0] } ?? []
  }

  /// Takes note that a watch is gone.
  mutating func ended(_ watch: Inotify.Watch) {
    guard let folder = nodes.removeValue(forKey: watch)?.folder else { return }
    if watches[folder] == watch { watches[folder] = nil }
  }

  /// Forgets a directory and what is below it.
  mutating func remove(_ folder: Folder) -> [Inotify.Watch] { remove { folder.holds($0.folder) } }

  /// Forgets what a whole scan has not seen.
  mutating func removeUnseen(in scan: Int) -> [Inotify.Watch] { remove { $0.scan < scan } }

  private mutating func remove(where isGone: (Node) -> Bool) -> [Inotify.Watch] {
    let gone = nodes.filter { isGone($1) }.map(\.key)
    for watch in gone { ended(watch) }
    return gone
  }

  /// Hears that a directory was moved from here.
  mutating func departs(_ folder: Folder, cookie: UInt32) { departed[cookie] = folder }

  /// Hears that a directory was moved to here: from where, if that was in the spool too.
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

  /// Hears that a directory itself was moved: whether it has left the spool.
  mutating func hasLeft(_ folder: Folder) -> Bool {
    guard let departure = departed.first(where: { $0.value == folder }) else { return false }
    departed[departure.key] = nil
    return true
  }
}
