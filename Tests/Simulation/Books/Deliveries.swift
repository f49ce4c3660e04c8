/// The registrations of all backends with the objects that they are about.
struct Deliveries {
  private struct Delivery {
    var id: String
    var at: Duration
    var document: RegisteredDocument
    /// The pieces of its object, or of each file of a group, by its path. Nil for an object that is not there.
    var objects: [(path: String, pieces: [Piece]?)]
  }

  /// The registrations by the name of their file. Only ever looked up.
  private var byName: [String: [Delivery]] = [:]
  /// The names as which a file may be registered that is skipped, by its own. Only ever looked up.
  private var aliases: [String: [String]] = [:]
  private(set) var names: [String] = []
  /// What is wrong with them whatever was dropped.
  private(set) var faults: [String] = []

  init(_ servers: Servers, _ books: Books) {
    for entry in books.entries where books.skips.contains(entry.drop.spool) && entry.drop.kind == .single {
      aliases[entry.drop.name] = books.twins(of: entry.drop)
    }
    let drops = Dictionary(books.entries.map { ($0.drop.name, $0.drop) }) { first, _ in first }
    for server in servers.all {
      guard let backend = server.backend else { continue }
      faults += backend.violations.filter { !books.isDamaged($0) }
      for entry in backend.registrations.entries {
        let document = entry.value.document
        if books.isDamaged(document.job) { continue }
        let delivery = Delivery(
          id: document.job, at: entry.value.at, document: document,
          objects: Self.objects(of: document, at: entry.value.at, in: servers, books))
        let name = document.name.split(separator: "/").last.map(String.init) ?? document.name
        if byName[name] == nil { names.append(name) }
        byName[name, default: []].append(delivery)
        if let drop = drops[name], ![server.host, document.bucket].allSatisfy({ books.mayGo(drop, to: $0) }) {
          faults.append("\(document.name) is registered at \(server.host) with an object in \(document.bucket)")
        }
        guard !books.removed.contains(document.job), delivery.objects.contains(where: { $0.pieces == nil }) else {
          continue
        }
        faults.append("\(document.name) is registered as \(entry.name), and its object is not there")
      }
    }
  }

  /// The objects as they were at the time of the registration: another job may replace them later, where a storage overwrites.
  private static func objects(
    of document: RegisteredDocument, at time: Duration, in servers: Servers, _ books: Books
  ) -> [(path: String, pieces: [Piece]?)] {
    guard let storage = servers.storage(bucket: document.bucket) else { return [("", nil)] }
    let mayBeReplaced = books.overwrites.contains(document.bucket)
    func pieces(_ key: String) -> [Piece]? {
      guard mayBeReplaced || storage.objects[key]?.id == document.job else { return nil }
      return storage.history.last { $0.key == key && $0.at <= time && $0.object?.id == document.job }?.object?.pieces
    }
    guard let files = document.files else { return [("", pieces(document.key))] }
    return files.map { ($0.path, pieces($0.key)) }
  }

  func isDelivered(_ version: FileVersion, of drop: Drop) -> Bool {
    !ids(of: version, drop).isEmpty
      || aliases[drop.name]?.contains { name in
        var other = drop
        other.name = name
        return !ids(of: version, other).isEmpty
      } ?? false
  }

  /// The time of the first registration of a name whose object nobody has removed.
  func first(name: String, _ books: Books) -> Duration? {
    byName[name]?.filter { !books.removed.contains($0.id) }.map(\.at).min()
  }

  /// The ids of the jobs as which these contents are registered since a time, each once: a job may be registered again, under an id of its
  /// own.
  func ids(of version: FileVersion, _ drop: Drop, since begin: Duration = .zero) -> [String] {
    let sent = version.parts.compactMap { part -> (path: String, part: FileVersion.Part)? in
      switch part.role {
      case .document: ("", part)
      case .member(let path): (path, part)
      case .sidecar, .marker: nil
      }
    }
    let jobs = (byName[drop.name] ?? []).filter { delivery in
      delivery.at >= begin && delivery.objects.count == sent.count
        && sent.allSatisfy { path, part in
          delivery.objects.contains { $0.path == path && $0.pieces.map { part.isHeld(by: $0) } ?? false }
        }
    }.map(\.id)
    return jobs.enumerated().filter { !jobs.prefix($0.offset).contains($0.element) }.map(\.element)
  }

  func ids(name: String) -> [String] { (byName[name] ?? []).map(\.id) }
}
