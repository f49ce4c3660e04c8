import ChildProcesses
import Testing

extension Sample {
  /// The problems of the smallest configuration with one more line in a section. A line of its own with the same key goes.
  static func problems(_ section: String, _ line: String, in directory: TemporaryFolder) throws -> [String] {
    let key = line.prefix { $0 != " " }
    let kept = smallest.split(separator: "\n").filter { !$0.hasPrefix(key + " = ") }.map { $0 + "\n" }.joined()
    let lines = "\(section)\n\(line)\n"
    let text = kept.contains(section + "\n") ? kept.replacing(section + "\n", with: lines) : lines + kept
    return try problems(text, in: directory)
  }

  /// The keys that the reader knows: it names them all where it meets one that is like none of them. `line` is how such a key
  /// is written, be it within a table.
  static func known(
    _ section: String, _ line: (String) -> String = { $0 }, in directory: TemporaryFolder
  ) throws -> [String] {
    let problems = try problems(section, line("unheard-of-and-like-no-other = 1"), in: directory)
    let told = problems.compactMap { $0.firstMatch(of: /unknown key; the keys here are (.*)$/)?.1 }
    return try #require(told.first, "\(problems)").split(separator: ", ").map(String.init).sorted()
  }
}
