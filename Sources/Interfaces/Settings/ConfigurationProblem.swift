/// One problem of a configuration, with its place.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, as it was named to the program or found in the folder.
  let file: String
  /// The line, counted from 1; nil if the problem concerns the whole file.
  public internal(set) var line: Int?
  /// The whole path of the key, e.g. `storage.main.bucket`; nil if the problem concerns the whole file.
  var keyPath: String?
  let words: String
  var remedy: String?
  /// True if the same configuration may be right later although nobody changes it: a file of it could not be read now.
  var mayPass = false

  /// The problem in one line: `/etc/waybill/waybill.toml:12: storage.main.bukcet: unknown key; did you mean "bucket"?`
  public var description: String {
    var text = file
    if let line { text += ":\(line)" }
    if let keyPath { text += ": \(keyPath)" }
    text += ": \(words)"
    if let remedy { text += "; \(remedy)" }
    return text
  }
}

/// All problems of a configuration, in the order of files and lines. Never empty.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems found.
  public let problems: [ConfigurationProblem]

  /// True if one of the problems may pass. The others may be its consequences, such as a section that is missing.
  public var mayPass: Bool { problems.contains(where: \.mayPass) }

  /// The problems, one on each line, without a line end after the last.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
