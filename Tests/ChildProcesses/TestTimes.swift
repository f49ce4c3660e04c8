import Foundation
import Glibc
import Testing

/// The file that `WAYBILL_TEST_TIMES` names: a line for each test, or each of its arguments, that had a slot.
enum TestTimes {
  private static let file: Int32? = ProcessInfo.processInfo.environment["WAYBILL_TEST_TIMES"].flatMap { path in
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    return descriptor < 0 ? nil : descriptor
  }

  /// Writes how long a test took: seconds, the suite, the test.
  static func note(_ test: Test, _ time: Duration) {
    guard let file else { return }
    let suite = ([test.id.moduleName] + test.id.nameComponents.dropLast()).joined(separator: ".")
    let bytes = Array("\(time / .seconds(1))\t\(suite)\t\(test.name)\n".utf8)
    // A line is written whole, or not at all: tests of other processes write here too.
    _ = unsafe write(file, bytes, bytes.count)
  }
}
