import ChildProcesses
import Foundation
import Linux
import Messages
import Synchronization
import Testing

@testable import Credentials

@Suite struct CredentialReaderTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func rereadsChangedFile() throws {
    let path = try directory.write("key", "first\n")
    let reader = CredentialReader(.file(path), environment: [:])
    let first = try reader.reading()
    #expect(first.secret.text == "first")
    #expect(!reader.seekChange(since: first.generation))
    // The same length, in the same inode, at once: nothing but the bytes need differ.
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.write(contentsOf: Data("other".utf8))
    try handle.close()
    #expect(reader.seekChange(since: first.generation))
    #expect(try reader.read().text == "other")
  }

  @Test func replacementWithSameValueIsUnchanged() throws {
    let path = try directory.write("key", "same")
    let reader = CredentialReader(.file(path), environment: [:])
    let generation = try reader.reading().generation
    _ = try directory.write("key", "same\n")
    #expect(!reader.seekChange(since: generation))
  }

  @Test func readsSettledFileOnce() throws {
    let path = try directory.write("key", "value")
    let reads = Mutex(0)
    let facts = try FileFacts(following: path)
    let files = CredentialReader.Files(
      facts: { _ throws(FileError) in (facts, true) },
      read: { path throws(FileError) in
        reads.withLock { $0 += 1 }
        return try readSmallFile(path: path, limit: Secret.limit)
      })
    let reader = CredentialReader(.file(path), environment: [:], files: files)
    for _ in 0..<5 { #expect(try reader.read().text == "value") }
    #expect(reads.withLock { $0 } == 1)
  }

  @Test func rechecksFileAfterPause() throws {
    let path = try directory.write("key", "value")
    let looks = Mutex(0)
    let now = Mutex(ContinuousClock.now)
    let facts = try FileFacts(following: path)
    let files = CredentialReader.Files(
      pause: .milliseconds(10), now: { now.withLock { $0 } },
      facts: { _ throws(FileError) in
        looks.withLock { $0 += 1 }
        return (facts, true)
      })
    let reader = CredentialReader(.file(path), environment: [:], files: files)
    for _ in 0..<5 { #expect(try reader.read().text == "value") }
    #expect(looks.withLock { $0 } == 1)
    now.withLock { $0 += .milliseconds(9) }
    #expect(try reader.read().text == "value" && looks.withLock { $0 } == 1)
    now.withLock { $0 += .milliseconds(1) }
    #expect(try reader.read().text == "value" && looks.withLock { $0 } == 2)
  }

  @Test func missingFileIsErrorWithoutChange() throws {
    let path = try directory.write("key", "value")
    let reader = CredentialReader(.file(path), environment: [:])
    let generation = try reader.reading().generation
    try FileManager.default.removeItem(atPath: path)
    #expect(!reader.seekChange(since: generation))
    #expect(reader.lastGeneration == nil)
    let error = #expect(throws: CredentialError.self) { try reader.read() }
    #expect(error?.words == "cannot read \(path): No such file or directory")
    #expect(reader.lastError == error)
    #expect(!reader.seekChange(since: nil))
    #expect(error?.reason.text == error?.words)
    _ = try directory.write("key", "value")
    #expect(reader.seekChange(since: nil), "it can be read again")
    #expect(try reader.reading().generation == generation)
    #expect(reader.lastGeneration == generation && reader.lastError == nil)
  }

  @Test func refusesDirectoryAndFIFOAtOnce() throws {
    let fifo = "\(directory.path)/fifo"
    let maker = try Process.run(URL(fileURLWithPath: "/usr/bin/mkfifo"), arguments: [fifo])
    maker.waitUntilExit()
    #expect(maker.terminationStatus == 0)
    for (path, reason) in [(directory.path, "Is a directory"), (fifo, "Invalid argument")] {
      let error = #expect(throws: CredentialError.self) {
        try CredentialReader(.file(path), environment: [:]).read()
      }
      #expect(error?.words == "cannot read \(path): \(reason)")
    }
  }

  @Test func hidesRefusedMultilineValue() throws {
    let path = try directory.write("key", "hunter2\nX-Evil: 1\n")
    let error = #expect(throws: CredentialError.self) { try CredentialReader(.file(path), environment: [:]).read() }
    #expect(error?.words == "\(path) has a line break or a control character in it")
    #expect(error.map { "\($0)".contains("hunter2") } == false)
  }

  @Test func systemdCredentialIsFixedUntilRestart() throws {
    _ = try directory.write("s3-key", "first")
    let source = CredentialSource.credential("s3-key")
    let reader = CredentialReader(source, environment: ["CREDENTIALS_DIRECTORY": directory.path])
    let generation = try reader.reading().generation
    _ = try directory.write("s3-key", "second value")
    #expect(try reader.read().text == "first")
    #expect(!reader.seekChange(since: generation))
    #expect(!source.changesWhileRunning)
  }

  @Test func missingSystemdCredentialSuggestsRemedy() throws {
    let unset = #expect(throws: CredentialError.self) {
      try CredentialReader(.credential("s3-key"), environment: [:]).read()
    }
    #expect(unset?.words == "systemd credential s3-key is missing: $CREDENTIALS_DIRECTORY is not set")
    let absent = #expect(throws: CredentialError.self) {
      try CredentialReader(.credential("s3-key"), environment: ["CREDENTIALS_DIRECTORY": directory.path]).read()
    }
    #expect(
      absent?.reason.text
        == "cannot read \(directory.path)/s3-key: No such file or directory (read at start: restart waybill after changing it)"
    )
    #expect(absent?.remedy == "add LoadCredential=s3-key:/path/to/file to the unit")
  }

  @Test func readsVariableFromGivenEnvironment() throws {
    let source = CredentialSource.environment("TOKEN")
    #expect(try CredentialReader(source, environment: ["TOKEN": "t"]).read().text == "t")
    let error = #expect(throws: CredentialError.self) { try CredentialReader(source, environment: [:]).read() }
    #expect(
      error?.reason.text == "environment variable TOKEN is not set (read at start: restart waybill after changing it)")
    #expect(throws: CredentialError.self) { try CredentialReader(source, environment: ["TOKEN": ""]).read() }
  }

  @Test func reportsUnreadableFileAndRecoveryOnce() throws {
    let folder = try TemporaryFolder()
    let told = Mutex<[String]>([])
    let reader = CredentialReader(
      .file(folder.file("key")), environment: [:],
      report: { error in told.withLock { $0.append(error?.words ?? "over") } }
    )
    for _ in 0..<3 { #expect(!reader.canBeRead) }
    try folder.write("key", "a value")
    for _ in 0..<2 { #expect(reader.canBeRead) }
    #expect(told.withLock(\.self) == ["cannot read \(folder.file("key")): No such file or directory", "over"])
  }
}
