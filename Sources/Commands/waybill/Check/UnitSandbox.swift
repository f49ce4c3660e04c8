import FoundationEssentials

/// The part of a unit's sandbox that decides where the daemon may write (systemd.exec(5)), read from the unit's files: the state
/// after the next daemon-reload and restart, even if systemd does not run here.
struct UnitSandbox: Sendable, Equatable {
  /// The name of the service.
  let unit: String
  /// True with `ProtectSystem=strict`: all is read-only but what is listed.
  var isStrict = false
  /// The directories that may be written to.
  var writable: [String] = []
  /// `ProtectHome=`.
  var home = "no"
  /// The directories that are mounted into the unit, which shows them in a hidden /home.
  var bound: [String] = []

  /// The folders of unit files, the first that has a name counts (systemd.unit(5)).
  private static let folders = [
    "/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient", "/etc/systemd/system",
    "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
  ]
  /// The places of home directories, which `ProtectHome=yes` hides completely.
  static let homes = ["/home", "/root", "/run/user"]

  /// Reads the unit that runs the daemon of a configuration: `waybill.service`, or an instance for another name in /etc/waybill.
  /// Nil if there is none, or its files cannot be read.
  ///
  /// - Parameter root: the directory that stands for `/`.
  init?(ofConfiguration path: String, root: String = "") {
    let name = path.dropFirst("/etc/waybill/".count).dropLast(".toml".count)
    guard path == "/etc/waybill/\(name).toml", !name.isEmpty, !name.contains("/") else { return nil }
    let instance = name == "waybill" ? nil : String(name)
    unit = instance.map { "waybill@\($0).service" } ?? "waybill.service"
    let names = instance == nil ? [unit] : [unit, "waybill@.service"]
    guard
      let main = names.lazy.compactMap({ name in
        Self.folders.lazy.compactMap { Self.text("\(root)\($0)/\(name)") }.first
      }).first
    else { return nil }
    read(main, instance)
    // Of drop-ins with the same name, the one in the more important folder counts, and the instance's before the template's.
    var dropIns: [String: String] = [:]
    for name in names + ["service"] {
      for folder in Self.folders {
        // Ignored: most units have no drop-ins, and a folder that cannot be read looks like none.
        let files = try? FileManager.default.contentsOfDirectory(atPath: "\(root)\(folder)/\(name).d")
        for file in files ?? [] where file.hasSuffix(".conf") && dropIns[file] == nil {
          dropIns[file] = "\(root)\(folder)/\(name).d/\(file)"
        }
      }
    }
    for (_, path) in dropIns.sorted(by: { $0.key < $1.key }) { if let text = Self.text(path) { read(text, instance) } }
  }

  /// Returns true if the daemon may write below a path as far as the unit decides.
  func mayWrite(_ path: String) -> Bool {
    func isIn(_ folder: String) -> Bool { folder == "/" || path == folder || path.hasPrefix(folder + "/") }
    if Self.homes.contains(where: isIn), home != "no" {
      if bound.contains(where: isIn) { return true }
      // ReadWritePaths= opens what is only read-only, and shows nothing that is hidden.
      return home == "read-only" && writable.contains(where: isIn)
    }
    return !isStrict || (writable + bound).contains(where: isIn)
  }

  private static func text(_ path: String) -> String? {
    // Ignored: of a file that is missing or closed nothing is known, so nothing is said.
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  private mutating func read(_ text: String, _ instance: String?) {
    var isService = false
    var line = ""
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let start = part.drop { $0 == " " || $0 == "\t" }
      if start.first == "#" || start.first == ";" { continue }
      line += part
      if line.last == "\\" {
        line = line.dropLast() + " "
        continue
      }
      defer { line = "" }
      let words = line.split(separator: " ").joined(separator: " ")
      if words.hasPrefix("[") { isService = words == "[Service]" }
      guard isService, let equals = line.firstIndex(of: "=") else { continue }
      let key = line[..<equals].split(separator: " ").joined()
      read(key, Self.words(line[line.index(after: equals)...], instance))
    }
  }

  private mutating func read(_ key: String, _ words: [String]) {
    func paths(_ words: [String]) -> [String] {
      words.map { word in
        let path = word.drop { "-+".contains($0) }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : String(path)
      }
    }
    switch key {
    case "ProtectSystem": isStrict = words == ["strict"]
    case "ProtectHome":
      let word = words.first ?? "no"
      home = ["true", "on", "1"].contains(word) ? "yes" : ["off", "0", "false"].contains(word) ? "no" : word
    // An empty value clears the list.
    case "ReadWritePaths": writable = words.isEmpty ? [] : writable + paths(words)
    case "StateDirectory": writable += words.map { "/var/lib/" + $0 }
    case "CacheDirectory": writable += words.map { "/var/cache/" + $0 }
    case "LogsDirectory": writable += words.map { "/var/log/" + $0 }
    case "RuntimeDirectory": writable += words.map { "/run/" + $0 }
    case "BindPaths":
      let targets = paths(words).map { path in
        let parts = path.split(separator: ":")
        return String(parts.count > 1 ? parts[1] : parts.first ?? "")
      }
      bound = words.isEmpty ? [] : bound + targets
    default: break
    }
  }

  /// The words of a value (systemd.syntax(7)), with quotes, and the specifiers %i and %% resolved.
  private static func words(_ value: Substring, _ instance: String?) -> [String] {
    var words: [String] = []
    var word = ""
    var isWord = false
    var quote: Character?
    var rest = value[...]
    while let character = rest.popFirst() {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        isWord = true
      } else if quote == nil, character == " " || character == "\t" {
        if isWord { words.append(word) }
        (word, isWord) = ("", false)
      } else if character == "%", let next = rest.popFirst() {
        word += next == "%" ? "%" : next == "i" || next == "I" ? instance ?? "" : "%\(next)"
        isWord = true
      } else {
        word.append(character)
        isWord = true
      }
    }
    if isWord { words.append(word) }
    return words
  }
}
