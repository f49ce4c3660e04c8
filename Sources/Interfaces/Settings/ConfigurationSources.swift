import Glibc
import Linux

/// The files of a configuration as they were read: the main file, and those in the folder beside it. They show whether the files on
/// disk are the ones in use. Variables of the environment are not among them: they do not change while a process runs.
public struct ConfigurationSources: Hashable, Sendable {
  /// The largest number of files in the folder.
  private static let limit = 1000

  /// The paths of the files in the order of reading. A main file that is missing is not among them: the environment may have all
  /// settings.
  private var paths: [String] = []
  /// The bytes of each file.
  private var contents: [[UInt8]] = []

  /// Reads the files of a configuration; nil if one of them, or the folder, cannot be read.
  ///
  /// - Parameter path: the main file.
  public static func read(path: String) -> ConfigurationSources? {
    let problems = Problems()
    let sources = ConfigurationSources(path: path, mayBeMissing: true, problems: problems)
    return problems.isEmpty ? sources : nil
  }

  /// Reads the files. One that cannot be read is reported as a problem and left out.
  ///
  /// - Parameters:
  ///   - hasFolder: false if there is only the main file.
  ///   - mayBeMissing: true if a missing main file counts as empty.
  ///   - replacing: other bytes in place of those of some files. Files of the folder that are not there yet count as if they were.
  init(
    path: String, hasFolder: Bool = true, mayBeMissing: Bool = false, replacing: [String: [UInt8]] = [:],
    problems: Problems
  ) {
    let folder = Configuration.folder(of: path)
    let others = hasFolder ? Self.files(in: folder, adding: replacing.keys, problems: problems) : []
    for file in [path] + others {
      problems.add(file: file)
      do throws(FileError) {
        let given = replacing[file]
        let source = if let given { given } else { try readSmallFile(path: file, limit: Document.limit) }
        paths.append(file)
        contents.append(source)
      } catch {
        if mayBeMissing, file == path, error.errno == ENOENT { continue }
        problems.add(ConfigurationProblem(error, file: file))
      }
    }
  }

  /// Parses the files. One that is no TOML is reported as a problem and left out.
  func documents(_ problems: Problems) -> [Document] {
    var documents: [Document] = []
    for (file, source) in zip(paths, contents) {
      do throws(ConfigurationProblem) {
        documents.append(try Document(file: file, source: source))
      } catch {
        problems.add(error)
      }
    }
    return documents
  }

  private static func files(in folder: String, adding others: some Sequence<String>, problems: Problems) -> [String] {
    var names = others.filter { $0.hasPrefix(folder + "/") }.map { Array($0.utf8.dropFirst(folder.utf8.count + 1)) }
    do throws(FileError) {
      names = Array(Set(names + (try smallDirectoryNames(path: folder, limit: limit))))
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
