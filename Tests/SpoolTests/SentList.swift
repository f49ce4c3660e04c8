import Jobs
import Synchronization

final class SentList: Sendable {
  private struct Contents {
    var rows: [FileName: KeptFile] = [:]
    var asked: [Int] = []
    var scans = 0
    var answer: KeptStanding?
    var isHeld = false
  }

  private let contents = Mutex(Contents())

  var asked: [Int] { contents.withLock { $0.asked } }
  var scans: Int { contents.withLock { $0.scans } }
  /// The answer about each file that is not on the list; nil for `new`.
  var answer: KeptStanding? {
    get { contents.withLock { $0.answer } }
    set { contents.withLock { $0.answer = newValue } }
  }
  var isHeld: Bool {
    get { contents.withLock { $0.isHeld } }
    set { contents.withLock { $0.isHeld = newValue } }
  }

  func standing(of files: [KeptFile]) async -> [KeptStanding] {
    contents.withLock { $0.asked.append(files.count) }
    while isHeld, !Task.isCancelled { await pause() }
    return contents.withLock { contents in
      files.map { file in
        guard let row = contents.rows[file.name] else { return contents.answer ?? .new }
        return file.hasFacts(of: row) ? .known(JobNumber(rawValue: 7)) : contents.answer ?? .new
      }
    }
  }

  func add(_ files: [KeptFile]) {
    contents.withLock { contents in
      for file in files { contents.rows[file.name] = file }
    }
  }

  func scannedAll() { contents.withLock { $0.scans += 1 } }
}
