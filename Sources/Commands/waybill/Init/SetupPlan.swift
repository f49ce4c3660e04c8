import ArgumentParser
import Credentials
import Spool

/// The steps of a first setup, in the order in which they are made. What is there already is no step.
struct SetupPlan: Equatable {
  var steps: [SetupStep]
  /// The text of the configuration.
  var text: String

  /// A file with a secret that a setup makes.
  struct KeyFile: Equatable {
    var path: String
    var secret: Secret
    /// Its meaning, for people.
    var what: String
  }

  /// The files of the secrets among the answers.
  static func keyFiles(_ answers: SetupAnswers, at place: SetupPlace) -> [KeyFile] {
    var files: [KeyFile] = []
    if case .written(let access, let secret, let token) = answers.storage.keys {
      files += [
        KeyFile(path: place.key("s3-access-key"), secret: access, what: "the id of the key"),
        KeyFile(path: place.key("s3-secret-key"), secret: secret, what: "its secret"),
      ]
      if let token {
        files.append(KeyFile(path: place.key("s3-session-token"), secret: token, what: "its session token"))
      }
    }
    if let token = answers.backend.token {
      files.append(KeyFile(path: place.key("backend-token"), secret: token, what: "the backend's token"))
    }
    return files
  }

  /// A plan that writes no configuration of its own.
  init(steps: [SetupStep]) { (self.steps, text) = (steps, "") }

  /// Plans a setup.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be made on this host, in words that say what to do.
  init(_ answers: SetupAnswers, on host: SetupHost, at place: SetupPlace) throws(CommandFailure) {
    text = SetupText.configuration(answers, at: place)
    let keys = Self.keyFiles(answers, at: place).filter { !host.keptKeys.contains($0.path) }
    steps = host.hasKeyFolder || keys.isEmpty ? [] : [.keyFolder(path: place.keys)]
    steps += keys.map { .keyFile(path: $0.path, $0.secret, what: $0.what) }
    for spool in answers.spools { steps += try Self.directories(of: spool, on: host, at: place) }
    if answers.usesSandbox {
      guard host.hasSandbox, host.hasSystemd else {
        throw CommandFailure(
          status: .failure,
          words: host.hasSystemd
            ? "the sandbox is not installed: install the package waybill-sandbox, which has \(LocalSandbox.unit)"
            : "the sandbox is started by systemd, which does not run here: start waybill-sandbox by hand, and name it by "
              + "--endpoint and --backend")
      }
      steps.append(.startSandbox)
    }
    steps.append(.probe)
    let isRun = host.hasSystemd && place.unit != nil
    if let unit = place.unit, host.hasSystemd {
      steps += Self.dropIns(answers.spools, for: unit, on: host)
    }
    steps += answers.people.map { person in
      .join(user: person, groups: Self.groups(of: answers.spools, at: place))
    }
    // Once it is there nothing is missing but the start, so a run that ends before can be made again.
    steps.append(.configuration(path: place.configuration, text: text))
    guard answers.starts, isRun, let unit = place.unit else { return }
    steps.append(.enable(unit: unit))
    if let first = answers.spools.first { steps.append(.firstFile(spool: Self.name(of: first.path))) }
  }

  /// The steps that make the directories of a spool.
  static func directories(
    of spool: SetupAnswers.Spool, on host: SetupHost, at place: SetupPlace
  ) throws(CommandFailure) -> [SetupStep] {
    var steps: [SetupStep] = []
    func add(
      _ path: String, _ step: SetupStep, _ recipe: [String], agreed: DirectorySetup.State? = nil
    ) throws(CommandFailure) {
      let state = host.directories[path] ?? .missing
      switch state {
      case .ready: break
      case .missing: steps.append(step)
      case .others(let owner, let group):
        guard agreed == state else {
          throw CommandFailure(
            status: .failure,
            words: "\(path) belongs to \(owner):\(group), and stays so. To use it:\n"
              + recipe.map { "  " + $0 }.joined(separator: "\n"))
        }
        steps.append(step)
      }
    }
    let step = SetupStep.spool(spool)
    try add(
      spool.path, step, DirectoryRecipe(user: place.user, droppers: spool.group).spool(spool.path), agreed: spool.agreed
    )
    // Nobody is asked about an archive of somebody else: files that are there would get another owner's directory.
    if let archive = spool.archive {
      let recipe = DirectoryRecipe(user: place.user, droppers: nil).archive(archive)
      try add(archive, .archive(path: archive), recipe)
    }
    return steps
  }

  /// The steps that let a unit use the directories of spools.
  static func dropIns(_ spools: [SetupAnswers.Spool], for unit: String, on host: SetupHost) -> [SetupStep] {
    let closed = spools.flatMap { [$0.path] + ($0.archive.map { [$0] } ?? []) }.filter {
      host.sandbox?.mayWrite($0) == false
    }
    return closed.isEmpty ? [] : closed.map { .dropIn(directory: $0, unit: unit) } + [.daemonReload]
  }

  /// The groups of a person who drops files and operates.
  private static func groups(of spools: [SetupAnswers.Spool], at place: SetupPlace) -> [String] {
    var groups = [place.group]
    for spool in spools {
      let group = spool.group ?? "waybill-drop"
      if !groups.contains(group) { groups.append(group) }
    }
    return groups
  }

  /// The name that a spool gets by its path: the last part, with "-" for what a name cannot have.
  static func name(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(
      last.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
  }

  /// The line that names a spool; none if its path does.
  static func nameLine(of path: String) -> [String] {
    let name = name(of: path)
    return path.hasSuffix("/" + name) ? [] : ["name = \(SetupText.quoted(name))"]
  }

  /// The commands of all steps, in an order in which they can be typed: a configuration is tried once it is written.
  static func commands(_ steps: [SetupStep], at place: SetupPlace) -> [String] {
    var ordered = steps
    if let probe = ordered.firstIndex(of: .probe),
      let file = ordered.firstIndex(where: { if case .configuration = $0 { true } else { false } }), probe < file
    {
      ordered.remove(at: probe)
      ordered.insert(.probe, at: file)
    }
    return ordered.flatMap { $0.commands(at: place) }
  }

  /// Puts other settings of the storage into the plan.
  mutating func apply(_ settings: [StorageSetting], to answers: inout SetupAnswers, at place: SetupPlace) {
    for setting in settings {
      answers.storage.settings.removeAll { $0.key == setting.key }
      answers.storage.settings.append(setting)
    }
    text = SetupText.configuration(answers, at: place)
    steps = steps.map { step in
      if case .configuration(let path, _) = step { .configuration(path: path, text: text) } else { step }
    }
  }
}
