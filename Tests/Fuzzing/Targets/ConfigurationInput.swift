import Foundation
import Settings

/// A configuration is either right, or wrong in words that name file and line.
enum ConfigurationInput {
  private static let file = FileManager.default.temporaryDirectory
    .appending(path: "waybill-fuzz-\(ProcessInfo.processInfo.processIdentifier).toml")

  static func take(_ bytes: [UInt8]) {
    do {
      try Data(bytes).write(to: file)
    } catch {
      fatalError("cannot write \(file.path): \(error)")
    }
    defer { try? FileManager.default.removeItem(at: file) }  // a file in the temporary folder that stays does no harm
    do throws(ConfigurationError) {
      let configuration = try Configuration.load(path: file.path, environment: [:], readingCredentials: false)
      promise(!configuration.spools.isEmpty, "a configuration without a spool")
    } catch {
      promise(!error.problems.isEmpty, "an error without a problem")
      for problem in error.problems {
        promiseIsShowable(problem.description)
        promise(problem.line ?? 1 >= 1, "a line before the first")
      }
    }
  }
}
