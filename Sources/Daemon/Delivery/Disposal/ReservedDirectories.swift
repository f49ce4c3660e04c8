import Credentials
import Jobs
package import Linux
import Messages
package import Settings
import Spool

/// The directories into which no file is released. In the daemon's own, a file with a name that a stranger chose could be taken for a part
/// of the ledger, a configuration or a key. The spools of other daemons are reserved too. Directories are compared by identity.
package struct ReservedDirectories: Sendable {
  struct Reserved: Sendable, Hashable {
    let what: Message
    let path: String
    /// True if its subdirectories are reserved too.
    let isTree: Bool
    let remedy: Message
  }

  let places: [Reserved]

  /// Creates the list of a configuration. The daemon's environment names the directories that systemd made.
  package init(_ configuration: Configuration, at path: String, environment: [String: String]) {
    var places: [Reserved] = []
    func add(_ what: Message, _ path: String, isTree: Bool = true, remedy: Message = .nameOwnDirectory) {
      places.append(Reserved(what: what, path: path, isTree: isTree, remedy: remedy))
    }
    add(.reservedState, configuration.daemon.state)
    let control = configuration.daemon.control ?? configuration.daemon.defaultControl
    add(.reservedControl, Self.folder(of: control), isTree: false)
    if let runtime = environment["RUNTIME_DIRECTORY"] { add(.reservedRuntime, runtime) }
    add(.reservedConfiguration, Self.folder(of: path), isTree: false)
    add(.reservedConfigurationPart, (path.hasSuffix(".toml") ? String(path.dropLast(5)) : path) + ".d")
    if let credentials = environment["CREDENTIALS_DIRECTORY"] { add(.reservedDaemonKeys, credentials) }
    for path in Self.secretFiles(configuration, environment) {
      add(.reservedKeys, Self.folder(of: path), isTree: false)
    }
    for spool in configuration.spools {
      add(.reservedSpool(spool: spool.name), spool.path, remedy: .retryOrNameOutside)
    }
    self.places = places
  }

  /// Throws a failure that says why, and what to do, unless files of these names may be released into a directory.
  package func requireFree(_ target: Directory, for names: [[UInt8]]) throws {
    var lineage: [FileFacts] = []
    var directory = target
    var isInOtherSpool = false
    repeat {
      lineage.append(try directory.facts())
      isInOtherSpool = isInOtherSpool || LockedSpool.isHeld(in: directory)
      directory = try directory.parent()
    } while try !directory.facts().isSameFile(as: lineage[lineage.endIndex - 1])
    let inside = try target.pathInFileSystem()
    for place in places where try isMeant(place, lineage, inside, names) {
      throw Failure(
        .configuration, .releaseToReserved(path: "\(target.path)", what: place.what, remedy: place.remedy))
    }
    guard !isInOtherSpool else {
      throw Failure(.configuration, .releaseToOtherSpool(path: "\(target.path)"))
    }
  }

  /// `lineage` is the target and the directories above it; `inside` its place in its file system, whose parents differ with a bind mount.
  private func isMeant(
    _ place: Reserved, _ lineage: [FileFacts], _ inside: PathInFileSystem?, _ names: [[UInt8]]
  ) throws -> Bool {
    if let facts = try Self.ifThere({ try FileFacts(following: place.path) }) {
      if (place.isTree ? lineage[...] : lineage.prefix(1)).contains(where: { $0.isSameFile(as: facts) }) { return true }
      guard place.isTree, let inside,
        let own = try Self.ifThere({ try Directory(path: place.path).pathInFileSystem() }) ?? nil
      else { return false }
      return inside.isIn(own)
    }
    // The reserved directory does not exist; the file must not get its name.
    let parent = try Self.ifThere { try FileFacts(following: Self.folder(of: place.path)) }
    guard let parent, parent.isSameFile(as: lineage[0]) else { return false }
    return names.contains(Array(place.path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed()))
  }

  /// Returns what a look at a directory finds; nil if the directory cannot be the target, or above it.
  private static func ifThere<Found>(_ look: () throws -> Found) throws -> Found? {
    do {
      return try look()
    } catch let error as FileError where ["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].contains(error.code) {
      return nil
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func secretFiles(_ configuration: Configuration, _ environment: [String: String]) -> [String] {
    var sources: [CredentialSource] = []
    for storage in configuration.storages.values {
      let (sealing, certificate) = (storage.encryption?.secret, storage.clientCertificate?.key)
      sources += [storage.accessKey, storage.secretKey, storage.sessionToken, sealing, certificate].compactMap(\.self)
    }
    for backend in configuration.backends.values {
      sources += [backend.token, backend.signingSecret, backend.clientCertificate?.key].compactMap(\.self)
      for case .secret(let source) in backend.headers.values { sources.append(source) }
    }
    for webhook in configuration.webhooks.values { sources += webhook.secrets }
    return Set(sources.flatMap { $0.files(environment) }).sorted()
  }
}
