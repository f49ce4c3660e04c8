import CommandParts
import Credentials
import Spool

/// One change of the machine, which is made in the process and shown as the commands that do the same.
enum SetupStep: Equatable {
  /// A directory for key files.
  case keyFolder(path: String)
  /// A file with a secret.
  case keyFile(path: String, Secret, what: String)
  case spool(SetupAnswers.Spool)
  case archive(path: String)
  case startSandbox
  /// Trying the storage and the backend.
  case probe
  /// A file of the configuration.
  case configuration(path: String, text: String)
  /// Letting a unit use a directory.
  case dropIn(directory: String, unit: String)
  case daemonReload
  /// Letting a user do what the members of groups may.
  case join(user: String, groups: [String])
  /// Starting the service, now and at each boot.
  case enable(unit: String)
  case restart(unit: String)
  /// Having a running daemon read its configuration again.
  case reload
  /// Dropping a file, and waiting until it is registered.
  case firstFile(spool: String)

  /// The commands that do the same. Above a command that reads its input stands what to type, behind a `#`.
  func commands(at place: SetupPlace) -> [String] {
    switch self {
    case .keyFolder(let path): return ["install -d -o \(place.user) -g root -m 500 \(Self.word(path))"]
    case .keyFile(let path, _, let what):
      return ["# \(what):", "install -m 440 -g \(place.group) /dev/stdin \(Self.word(path))"]
    case .spool(let spool): return DirectoryRecipe(user: place.user, droppers: spool.group).spool(spool.path)
    case .archive(let path): return DirectoryRecipe(user: place.user, droppers: nil).archive(path)
    case .startSandbox: return ["systemctl start \(LocalSandbox.unit)"]
    case .probe: return ["waybill check --probe" + config(place)]
    case .configuration(let path, let text):
      return ["install -m 640 -g \(place.group) /dev/stdin \(Self.word(path)) << 'END'"]
        + text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) + ["END"]
    case .dropIn(let directory, let unit): return [UnitDropIn(path: directory).command(for: unit)]
    case .daemonReload: return ["systemctl daemon-reload"]
    case .join(let user, let groups): return ["usermod -a -G \(groups.joined(separator: ",")) \(Self.word(user))"]
    case .enable(let unit): return ["systemctl enable --now \(unit)"]
    case .restart(let unit): return ["systemctl try-restart \(unit)"]
    case .reload: return ["waybill\(place.option) reload"]
    case .firstFile(let spool): return ["waybill\(place.option) add FILE --spool \(spool) --wait"]
    }
  }

  private static func word(_ text: String) -> String { DirectoryRecipe.quoted(text) }

  private func config(_ place: SetupPlace) -> String {
    place.configuration == SetupPlace.usual ? "" : " --config \(Self.word(place.configuration))"
  }
}

/// Commands in lines that fit a terminal, and that a shell still reads as they are.
enum CommandLines {
  /// Breaks a command at its spaces, with a backslash before each line end. Words in quotes stay whole.
  static func folded(_ command: String, width: Int, indent: Int = 2) -> [String] {
    let margin = String(repeating: " ", count: indent)
    // A backslash would not continue a comment.
    if command.hasPrefix("#") {
      return Folded.lines(String(command.dropFirst(2)), width: width - indent - 2).map { margin + "# " + $0 }
    }
    guard command.count + indent > width else { return [margin + command] }
    var lines: [String] = []
    var line = margin
    for word in words(of: command) {
      let isFirst = line.allSatisfy { $0 == " " }
      if !isFirst, line.count + 1 + word.count + 2 > width {
        lines.append(line + " \\")
        line = margin + "  " + word
      } else {
        line += (isFirst ? "" : " ") + word
      }
    }
    return lines + [line]
  }

  private static func words(of command: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in command {
      if character == "'" { isQuoted.toggle() }
      if character == " ", !isQuoted {
        words.append(word)
        word = ""
      } else {
        word.append(character)
      }
    }
    return words + [word]
  }
}
