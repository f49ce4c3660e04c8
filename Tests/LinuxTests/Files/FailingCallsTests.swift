import Seams

#if DEBUG
  import ChildProcesses
  import Linux
  import Testing

  /// Calls that fail although the kernel would not refuse them.
  @Suite struct FailingCallsTests {
    let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      try scratch.write("bytes", bytes("file"))
    }

    @Test func interruptedCallIsRetried() throws {
      let calls = try #require(FailingCalls(plan: "1=EINTR"))
      for _ in 1...3 {
        let read = try calls.watch { try scratch.directory.openOurs(bytes("file")).read(at: 0, count: 9) }
        #expect(read == bytes("bytes"))
      }
      #expect(calls.hasFailed)
    }

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
