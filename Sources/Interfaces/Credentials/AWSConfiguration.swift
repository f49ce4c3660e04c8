import HTTPTransfer
package import Jobs
import Linux
package import Messages

/// The profiles of `~/.aws/config` and `~/.aws/credentials`, which overrides the other ("Shared config and credentials files" in the AWS
/// SDKs and Tools Reference Guide).
package struct AWSConfiguration: Hashable, Sendable {
  static let limit = 1 << 20

  /// The settings by profile, their names in lower case.
  package private(set) var profiles: [String: [String: String]] = [:]

  /// Reads the files that the environment names, or those in the home directory. A file that does not exist is empty.
  /// - Throws: ``KeyFault`` for a file that cannot be read.
  init(environment: [String: String]) throws(KeyFault) {
    for (path, isConfiguration) in [(Self.path(environment), true), (Self.credentialsPath(environment), false)] {
      guard let path else { continue }
      do throws(FileError) {
        add(String(decoding: try readSmallFile(path: path, limit: Self.limit), as: UTF8.self), isConfiguration)
      } catch {
        if error.errno != 2 {
          throw KeyFault(
            .cannotRead(path: path, why: error.reason), remedy: .letUserRead, mayPass: error.mayPass)
        }
      }
    }
  }

  package init(configuration: String, credentials: String) {
    add(configuration, true)
    add(credentials, false)
  }

  /// The path of the configuration; nil if neither a variable nor a home directory tells it.
  static func path(_ environment: [String: String]) -> String? { path(environment, "AWS_CONFIG_FILE", "config") }

  static func credentialsPath(_ environment: [String: String]) -> String? {
    path(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")
  }

  private static func path(_ environment: [String: String], _ variable: String, _ file: String) -> String? {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    guard let path = environment[variable], !path.isEmpty else { return home.map { "\($0)/.aws/\(file)" } }
    guard path.hasPrefix("~/"), let home else { return path }
    return home + path.dropFirst()
  }

  private mutating func add(_ text: String, _ isConfiguration: Bool) {
    for section in INISections(text).sections {
      let profile = isConfiguration ? Self.profile(ofConfiguration: section.title[...]) : section.title
      guard let profile else { continue }
      profiles[profile, default: [:]].merge(section.values) { _, last in last }
    }
  }

  /// Returns the profile of a section of the configuration, whose title is `default` or `profile NAME`.
  private static func profile(ofConfiguration title: Substring) -> String? {
    let title = title.trimmingBlanks
    if title == "default" { return "default" }
    guard title.hasPrefix("profile"), let space = title.dropFirst(7).first, space == " " || space == "\t" else {
      return nil
    }
    var name = title.dropFirst(7).trimmingBlanks
    if name.count > 1, name.first == name.last, name.first == "\"" || name.first == "'" {
      name = name.dropFirst().dropLast()
    }
    return name.isEmpty ? nil : String(name)
  }
}

/// The reason why keys or a token cannot be obtained, with its remedy.
package struct KeyFault: FailureConvertible, Hashable {
  package let message: Message
  package let advice: Message?
  /// True if it may work later although nobody changes anything.
  package let mayPass: Bool

  package var failure: Failure { Failure(.credentials, message) }

  init(_ message: Message, remedy: Message? = nil, mayPass: Bool = false) {
    self.message = message
    self.advice = remedy
    self.mayPass = mayPass
  }

  init(_ error: CredentialError) { self.init(error.message, remedy: error.advice, mayPass: error.mayPass) }
}

/// The sections of a file such as `~/.aws/credentials`, in their order.
///
/// Lines that begin with `#` or `;` are comments. Settings that are indented below one without a value belong to it (AWS's nested
/// settings), and are skipped, as are lines before the first section.
package struct INISections {
  /// The text in brackets of each section, and its values by the names of the settings in lower case. A title may come more than once; if
  /// a setting does, the last one counts.
  package private(set) var sections: [(title: String, values: [String: String])] = []

  package init(_ text: String) {
    // The depth of a setting without a value: lines that are indented more belong to it.
    var emptyDepth = Int.max
    for line in text.split(whereSeparator: \.isNewline) {
      let depth = line.prefix { $0 == " " || $0 == "\t" }.count
      let line = line.trimmingBlanks
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        emptyDepth = .max
        sections.append((String(line[line.index(after: line.startIndex)..<end].trimmingBlanks), [:]))
      } else if !sections.isEmpty, depth <= emptyDepth, let equals = line.firstIndex(of: "=") {
        let value = line[line.index(after: equals)...].trimmingBlanks
        emptyDepth = value.isEmpty ? depth : .max
        sections[sections.count - 1].values[line[..<equals].trimmingBlanks.lowercased()] = String(value)
      }
    }
  }
}

extension Substring {
  var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
