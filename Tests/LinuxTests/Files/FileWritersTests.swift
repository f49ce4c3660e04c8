import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Linux

/// The programs that can write to a file, against real programs.
@Suite(.slot, .aside)
struct FileWritersTests {
  /// A way to hold a file open, in Python's words; `f` is its path. `map` is mmap(2), of which Python's own keeps a
  /// descriptor.
  enum Holding: String, CaseIterable {
    case writing = "k = open(f, 'r+b')"
    case appending = "k = open(f, 'ab')"
    case mapped = "o = open(f, 'r+b'); map(o.fileno(), 3, 1); o.close()"
    case reading = "k = open(f, 'rb')"
    case mappedPrivately = "o = open(f, 'r+b'); map(o.fileno(), 3, 2); o.close()"
    case mappedForReading = "o = open(f, 'r+b'); map(o.fileno(), 1, 1); o.close()"

    var canWrite: Bool {
      switch self {
      case .writing, .appending, .mapped: true
      case .reading, .mappedPrivately, .mappedForReading: false
      }
    }
  }

  @Test(arguments: Holding.allCases) func namesOnlyWritingPrograms(_ holding: Holding) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.url.appending(path: "file").path
    try Data(repeating: 7, count: 4096).write(to: URL(filePath: path))
    let script = """
      import ctypes, sys
      f = sys.argv[1]
      def map(descriptor, protection, flags):
        mmap = ctypes.CDLL(None).mmap
        mmap.restype = ctypes.c_ssize_t
        mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_ssize_t]
        assert mmap(None, 4096, protection, flags, descriptor, 0) != -1
      \(holding.rawValue)
      print('held', flush=True)
      sys.stdin.read()
      """
    let child = try ChildProcess(
      ["python3", "-c", script, path], input: .written, folder: folder.url, log: "holder")
    defer { child.cut() }
    try await until("the file to be held") { child.outputText.contains("held") }
    let facts = try Directory(path: folder.url.path).facts(of: Array("file".utf8))
    let writers = FileWriters(of: facts)
    #expect(writers.programs.map(\.process) == (holding.canWrite ? [child.pid] : []), "\(writers)")
    #expect(writers.programs.allSatisfy { $0.program.hasPrefix("python3") && $0.user == ProcessRights.user })
  }

  @Test func countsOwnDescriptor() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let directory = try Directory(path: folder.url.path)
    let file = try directory.create(Array("mine".utf8), permissions: 0o600)
    let facts = try directory.facts(of: Array("mine".utf8))
    // A process that another test is just spawning may have it too.
    #expect(FileWriters(of: facts).programs.contains { $0.process == getpid() })
    _ = consume file
  }
}
