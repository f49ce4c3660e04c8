import Glibc
import Jobs
import Linux
import TOML

/// One parsed configuration file.
struct Document {
  /// The largest number of bytes that a configuration file may have.
  static let limit = 1024 * 1024

  let file: String
  let root: [String: Node]

  /// Parses the bytes of a file.
  init(file: String, source: [UInt8]) throws(ConfigurationProblem) {
    self.file = file
    guard String(validating: source, as: UTF8.self) != nil else {
      throw ConfigurationProblem(
        file: file, line: Document.firstBadLine(source), words: "is not UTF-8 text",
        remedy: "TOML files are UTF-8: save it in that encoding")
    }
    if let zero = source.firstIndex(of: 0) {
      throw ConfigurationProblem(
        file: file, line: source[..<zero].count(where: { $0 == UInt8(ascii: "\n") }) + 1,
        words: "has a NUL byte in it", remedy: "TOML files are plain text")
    }
    do throws(TOMLDocument.Fault) {
      root = try TOMLDocument(source).root.mapValues(Node.init)
    } catch {
      let place = error.column.map { ", at column \($0)" } ?? ""
      throw ConfigurationProblem(
        file: file, line: error.line, words: "not valid TOML\(place): \(DisplayText.escape(error.words))")
    }
  }

  private static func firstBadLine(_ source: [UInt8]) -> Int {
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
  }
}

extension ConfigurationProblem {
  /// The problem of a file or folder that cannot be read, with its remedy.
  init(_ error: FileError, file: String) {
    self.init(
      file: file, words: "cannot read the configuration: \(error.reason)",
      remedy: Self.remedy(error.errno) ?? error.remedy.map { "\($0)" }, mayPass: error.mayPass)
  }

  private static func remedy(_ errno: Int32) -> String? {
    switch errno {
    case ENOENT:
      "waybill init makes waybill.toml, and examples are in /usr/share/doc/waybill*/examples; --config FILE "
        + "names another file"
    case EACCES, EPERM: "let the daemon's user read it, and enter each directory above it"
    case EISDIR: "name a file inside it with --config FILE"
    case EFBIG: "a configuration file has at most 1 MiB"
    case E2BIG: "the folder has at most 1,000 files"
    case EINVAL: "it must be a regular file"
    default: nil
    }
  }
}
