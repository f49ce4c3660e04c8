import Glibc
import Jobs
import Linux
import TOML

/// One parsed configuration file.
struct Document {
  static let limit = 1024 * 1024

  let file: String
  let root: [String: Node]

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

/// The files of a configuration: the main file, and those in the folder beside it.
extension Document {
  private static let mostFiles = 1000

  /// Reads and parses the files. One that cannot be read, or is no TOML, is reported as a problem and left out. A missing main file may
  /// count as empty.
  static func all(
    path: String, hasFolder: Bool = true, mayBeMissing: Bool = false, replacing: [String: [UInt8]] = [:],
    problems: Problems
  ) -> [Document] {
    let folder = Configuration.folder(of: path)
    let others = hasFolder ? files(in: folder, adding: replacing.keys, problems: problems) : []
    var documents: [Document] = []
    for file in [path] + others {
      problems.add(file: file)
      do {
        let source = if let given = replacing[file] { given } else { try readSmallFile(path: file, limit: limit) }
        documents.append(try Document(file: file, source: source))
      } catch let error as FileError {
        if mayBeMissing, file == path, error.errno == ENOENT { continue }
        problems.add(ConfigurationProblem(error, file: file))
      } catch let problem as ConfigurationProblem {
        problems.add(problem)
      } catch {
        problems.add(ConfigurationProblem(file: file, words: "\(error)"))
      }
    }
    return documents
  }

  private static func files(in folder: String, adding others: some Sequence<String>, problems: Problems) -> [String] {
    var names = others.filter { $0.hasPrefix(folder + "/") }.map { Array($0.utf8.dropFirst(folder.utf8.count + 1)) }
    do throws(FileError) {
      names = Array(Set(names + (try smallDirectoryNames(path: folder, limit: mostFiles))))
    } catch {
      if error.errno != ENOENT { problems.add(ConfigurationProblem(error, file: folder)) }
    }
    return names.filter { $0.first != UInt8(ascii: ".") && $0.suffix(5).elementsEqual(".toml".utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
      .compactMap { name in
        if let text = String(validating: name, as: UTF8.self) { return "\(folder)/\(text)" }
        problems.add(
          ConfigurationProblem(file: folder, words: "has a file with a name that is not UTF-8", remedy: "rename it"))
        return nil
      }
  }
}

extension ConfigurationProblem {
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
