import ArgumentParser
import Jobs
import Settings

/// A spool that is to be added to a configuration.
struct SpoolRequest: Equatable {
  var spool: SetupAnswers.Spool
  /// Its name; nil for the last part of its path.
  var name: String?
  var isRecursive = false
  var storage: String?
  var backend: String?
  /// Further settings, as TOML writes them.
  var settings: [StorageSetting] = []

  /// The name of its file, without `.toml`.
  var fileName: String { name ?? SetupPlan.name(of: spool.path) }

  /// Returns its section.
  ///
  /// - Throws: ``CommandFailure`` if it cannot stand beside what is configured, in words that say what to do.
  func text(for configuration: Configuration) throws(CommandFailure) -> String {
    if let other = configuration.spools.first(where: { $0.path == spool.path }) {
      throw CommandFailure(status: .failure, words: "\(spool.path) is the spool \(other.name) already")
    }
    if let other = configuration.spools.first(where: { $0.name == fileName }) {
      throw CommandFailure(
        status: .failure,
        words: "there is a spool \(other.name) already (\(other.path)): choose another name with --name")
    }
    var lines = ["# Made by waybill spool add.", "[[spool]]"]
    lines += name.map { ["name = \(SetupText.quoted($0))"] } ?? SetupPlan.nameLine(of: spool.path)
    lines.append("path = \(SetupText.quoted(spool.path))")
    lines += try destination("storage", storage, of: configuration.storages.keys.sorted())
    lines += try destination("backend", backend, of: configuration.backends.keys.sorted())
    if isRecursive { lines.append("recursive = true") }
    if let archive = spool.archive { lines += ["after = \"archive\"", "archive = \(SetupText.quoted(archive))"] }
    lines += settings.map { "\($0.key) = \($0.value)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func destination(
    _ key: String, _ chosen: String?, of names: [String]
  ) throws(CommandFailure) -> [String] {
    guard let chosen else {
      guard names.count > 1, !names.contains("main") else { return [] }
      throw CommandFailure(
        status: .validationFailure,
        words: "there are several: name one with --\(key). They are: \(names.joined(separator: ", "))")
    }
    guard names.contains(chosen) else {
      throw CommandFailure(
        status: .validationFailure,
        words: "there is no \(key) \(DisplayText.escape(chosen)). There is: \(names.joined(separator: ", "))")
    }
    return ["\(key) = \(SetupText.quoted(chosen))"]
  }

  /// The steps that add it.
  ///
  /// - Throws: ``CommandFailure`` if they cannot be made on this host.
  func steps(file: String, text: String, on host: SetupHost, at place: SetupPlace) throws(CommandFailure) -> [SetupStep]
  {
    var steps = try SetupPlan.directories(of: spool, on: host, at: place)
    var dropIns: [SetupStep] = []
    if let unit = place.unit, host.hasSystemd { dropIns = SetupPlan.dropIns([spool], for: unit, on: host) }
    steps += dropIns + [.configuration(path: file, text: text)]
    if let unit = place.unit, !dropIns.isEmpty { steps.append(.restart(unit: unit)) } else { steps.append(.reload) }
    return steps
  }
}

extension SetupStep {
  /// True if it has the daemon use what was written.
  var isTakingEffect: Bool {
    switch self {
    case .reload, .restart: true
    default: false
    }
  }
}

extension SetupAnswers {
  /// The directories of a spool alone, for ``SetupHost``.
  init(spool: Spool) {
    self.init(
      storage: Storage(endpoint: "", region: "", bucket: "", keys: .instance), backend: Backend(url: ""),
      spools: [spool], people: [], usesSandbox: false)
  }
}
