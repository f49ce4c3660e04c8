import Glibc
import Linux

/// The files of a configuration: the main file, and those in the folder beside it.
enum ConfigurationFolder {
  private static let limit = 1000

  /// Reads the files in their order. A file that cannot be read or parsed is reported as a problem and left out.
  ///
  /// - Parameters:
  ///   - mayBeMissing: true if a missing main file counts as empty.
  ///   - replacing: other bytes in place of those of some files. Files of the folder that are not there yet count as if they were.
  static func documents(
    beside path: String, mayBeMissing: Bool = false, replacing: [String: [UInt8]] = [:], problems: Problems
  ) -> [Document] {
    var documents: [Document] = []
    let folder = folder(of: path)
    let files = files(in: folder, adding: replacing.keys, problems: problems)
    for file in [path] + files {
      problems.add(file: file)
      do throws(ConfigurationProblem) {
        if let source = replacing[file] {
          documents.append(try Document(file: file, source: source))
        } else if file == path, mayBeMissing, !Document.isThere(file) {
          documents.append(try Document(file: file, source: []))
        } else {
          documents.append(try Document.read(file))
        }
      } catch {
        problems.add(error)
      }
    }
    return documents
  }

  /// Returns the folder of a file: `waybill.toml` has `waybill.d`; a file of another name has its name with `.d`.
  static func folder(of path: String) -> String {
    (path.hasSuffix(".toml") ? String(path.dropLast(".toml".count)) : path) + ".d"
  }

  static func files(in folder: String, adding others: some Sequence<String>, problems: Problems) -> [String] {
    let added = others.filter { $0.hasPrefix(folder + "/") }.map { Array($0.utf8.dropFirst(folder.utf8.count + 1)) }
    do throws(FileError) {
      let names = try names(in: folder)
      return (names + added.filter { !names.contains($0) }).filter {
        $0.first != UInt8(ascii: ".") && $0.suffix(5).elementsEqual(".toml".utf8)
      }
      .sorted { $0.lexicographicallyPrecedes($1) }
      .compactMap { name in
        if let text = String(validating: name, as: UTF8.self) { return "\(folder)/\(text)" }
        problems.add(
          ConfigurationProblem(file: folder, words: "has a file with a name that is not UTF-8", remedy: "rename it"))
        return nil
      }
    } catch {
      problems.add(ConfigurationProblem(error, file: folder))
      return []
    }
  }

  /// Returns the names in the folder; none if there is no folder.
  private static func names(in folder: String) throws(FileError) -> [[UInt8]] {
    do throws(FileError) {
      return try smallDirectoryNames(path: folder, limit: limit)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return []
    }
  }
}
