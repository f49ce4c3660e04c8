/// One thing that is wrong with a configuration, and where.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, as it was named to the program or found in the folder.
  public let file: String
  /// The line, counted from 1; nil where the problem is the whole file's.
  public let line: Int?
  /// The whole path of the key, e.g. `storage.main.bucket`; nil where the problem is the whole file's.
  public let keyPath: String?
  /// What is wrong.
  public let words: String
  /// What would be right, or nil where the words say it all.
  public let remedy: String?

  /// A problem with its place and words.
  public init(file: String, line: Int? = nil, keyPath: String? = nil, words: String, remedy: String? = nil) {
    self.file = file
    self.line = line
    self.keyPath = keyPath
    self.words = words
    self.remedy = remedy
  }

  /// The line for people: `/etc/waybill/waybill.toml:12: storage.main.bukcet: unknown key; did you mean "bucket"?`
  public var description: String {
    var text = file
    if let line { text += ":\(line)" }
    if let keyPath { text += ": \(keyPath)" }
    text += ": \(words)"
    if let remedy { text += "; \(remedy)" }
    return text
  }
}

/// Everything that is wrong with a configuration, in the order of files and lines. Never empty.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems found.
  public let problems: [ConfigurationProblem]

  /// An error of these problems.
  public init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// The problems, one a line, without a line end after the last.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
