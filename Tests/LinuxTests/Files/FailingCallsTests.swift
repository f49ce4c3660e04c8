import Seams

#if DEBUG
  import ChildProcesses
  import Foundation
  import Linux
  import Testing

  /// Calls that fail although the kernel would not refuse them.
  @Suite struct FailingCallsTests {
    let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      try scratch.write("bytes", bytes("file"))
    }

    /// The results of reading the file three times.
    private func read(_ plan: String?, trace: String? = nil) throws -> (results: [String], calls: FailingCalls) {
      let calls = try #require(FailingCalls(plan: plan, trace: trace))
      let results = calls.watch {
        (1...3).map { _ in
          do throws(FileError) {
            return String(decoding: try scratch.directory.openOurs(bytes("file")).read(at: 0, count: 9), as: UTF8.self)
          } catch {
            return "\(error.operation): \(error.code)"
          }
        }
      }
      return (results, calls)
    }

    @Test func numberedCallFailsOnce() throws {
      // opened, examined, read, read to its end
      let (results, calls) = try read("7=EIO")
      #expect(results == ["bytes", "read: EIO", "bytes"])
      #expect(calls.hasFailed)
      #expect(calls.count == 11)
    }

    @Test func laterMatchingCallsAllFail() throws {
      #expect(try read("5=EMFILE+").results == ["bytes", "open: EMFILE", "open: EMFILE"])
      let other = try #require(FailingCalls(plan: "openat:other:1=EMFILE+"))
      try other.watch { _ = try scratch.directory.openOurs(bytes("file")) }
      #expect(!other.hasFailed)
    }

    @Test func selectsCallsByPlaceOrFile() throws {
      let trace = scratch.path + "/trace"
      _ = try read(nil, trace: trace)
      let text = try String(contentsOfFile: trace, encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
      #expect(lines.map { $0[0] } == (1...12).map { "\($0)" })
      let key = try #require(lines.first { $0[1].hasPrefix("fstat:file:") }?[1])
      #expect(try read("\(key):2=ENOMEM").results == ["bytes", "examine: ENOMEM", "bytes"])
      #expect(try read("fstat:file:3=ENOMEM").results == ["bytes", "bytes", "examine: ENOMEM"])
    }

    @Test func interruptedCallIsRetried() throws {
      let (results, calls) = try read("1=EINTR")
      #expect(results == ["bytes", "bytes", "bytes"])
      #expect(calls.hasFailed)
    }

    @Test func ignoresOtherThreads() async throws {
      let calls = try #require(FailingCalls(plan: "openat:file:1=EIO"))
      let path = scratch.path
      try await calls.watch {
        Task.detached { _ = try Directory(path: path).openOurs(bytes("file")) }
      }.value
      #expect(!calls.hasFailed)
    }

    @Test(arguments: ["", "EIO", "0=EIO", "x=EIO", "1=ENOTHING", "openat:file=EIO", "openat:file:0=EIO"])
    func invalidPlanIsRefused(plan: String) { #expect(FailingCalls(plan: plan) == nil) }

    /// As on NFS, CephFS and many of FUSE.
    @Test func directoryRenameFallbackNeverReplaces() throws {
      let names = ["run", "taken", "empty"].map { bytes($0) }
      for name in names { try scratch.directory.makeDirectory(name, permissions: 0o755) }
      for name in [names[0], names[1]] {
        try scratch.directory.directory(name).create(bytes("in it"), permissions: 0o600).write(name, path: "in it")
      }
      func rename(_ name: [UInt8], _ newName: [UInt8]) throws {
        let last = String(decoding: newName, as: UTF8.self)
        let calls = try #require(FailingCalls(plan: "renameat2:\(last):1=EINVAL+"))
        defer { #expect(calls.hasFailed) }
        try calls.watch { try scratch.directory.rename(name, into: scratch.directory, as: newName) }
      }
      for taken in [names[1], names[2], bytes("file")] {
        let error = #expect(throws: FileError.self) { try rename(names[0], taken) }
        #expect(error?.code == "EEXIST")
      }
      try rename(names[0], bytes("archived"))
      #expect(
        try scratch.directory.directory(bytes("archived")).open(bytes("in it")).read(at: 0, count: 9) == names[0])
      #expect(throws: FileError.self) { try scratch.directory.facts(of: names[0]) }
      let permissions = try scratch.directory.facts(of: bytes("archived")).permissions
      #expect(permissions & 0o700 == 0o700)
    }
  }
#endif
