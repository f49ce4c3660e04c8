import ArgumentParser
import CommandParts
import ControlAPI
import Credentials
import FoundationEssentials
import HTTPTransfer
import Jobs
import Linux
import Messages
import Settings
import Spool

extension SetupRunner {
  /// Makes one step.
  mutating func carryOut(_ step: SetupStep) async throws {
    do {
      switch step {
      case .keyFolder(let path): try makeKeyFolder(path)
      case .keyFile(let path, let secret, _):
        try createSmallFile(path: path, secret.bytes + [0x0A], owner: (0, try group()), permissions: 0o440)
        madeKeys.append(path)
      case .spool(let spool): try await makeSpool(spool)
      case .archive(let path): try setup(nil).makeArchive(path)
      case .startSandbox:
        try await Program.require("systemctl", ["start", LocalSandbox.unit])
        try await waitForSandbox()
      case .probe: try await probe()
      case .configuration(let path, let text):
        try makeFolder(of: path)
        try createSmallFile(path: path, Array(text.utf8), owner: (0, try group()), permissions: 0o640)
      case .dropIn(let directory, let unit): _ = try UnitDropIn(path: directory).write(for: unit)
      case .daemonReload: try await Program.require("systemctl", ["daemon-reload"])
      case .join(let user, let groups):
        try await Program.require("usermod", ["-a", "-G", groups.joined(separator: ","), user])
      case .enable(let unit):
        Self.remark("starting \(unit) …")
        try await Program.require("systemctl", ["enable", "--now", unit], unit: unit)
      case .restart(let unit):
        Self.remark("requests in flight end first …")
        try await Program.require("systemctl", ["try-restart", unit], unit: unit)
      case .reload: try await reload()
      case .firstFile(let spool): try await dropFirstFile(spool)
      }
    } catch let error as FileError {
      let words =
        error.code == "EEXIST" ? "\(error.path) has come to be meanwhile, and stays: nothing was replaced" : error.words
      throw CommandFailure(status: .failure, words: words)
    }
  }

  private func group() throws(CommandFailure) -> UInt32 {
    guard let id = GroupName.id(of: place.group) else {
      throw CommandFailure(status: .failure, words: "there is no group \(place.group)")
    }
    return id
  }

  private func setup(_ group: String?) throws(CommandFailure) -> DirectorySetup {
    guard let setup = DirectorySetup(user: place.user, droppers: group) else {
      throw CommandFailure(status: .failure, words: "there is no group \(group ?? place.user)")
    }
    return setup
  }

  private func makeKeyFolder(_ path: String) throws {
    try makeFolder(of: path)
    guard let user = ProcessRights.user(named: place.user) else {
      throw CommandFailure(status: .failure, words: "there is no user \(place.user)")
    }
    let (parent, name) = try Self.parent(of: path)
    try parent.makeDirectory(name, permissions: 0o500)
    let folder = try parent.directory(name)
    try folder.descriptor.setOwner(user, group: 0, path: path)
    try folder.descriptor.setPermissions(0o500, path: path)
  }

  /// Makes the directory of a file, if it is missing.
  private func makeFolder(of path: String) throws(FileError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    guard !folder.isEmpty, !SetupHost.exists(folder) else { return }
    let (parent, name) = try Self.parent(of: folder)
    try parent.makeDirectory(name, permissions: 0o755)
    try parent.directory(name).descriptor.setPermissions(0o755, path: folder)
  }

  private static func parent(of path: String) throws(FileError) -> (Directory, name: [UInt8]) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (try Directory(path: String(path[...slash])), Array(path[path.index(after: slash)...].utf8))
  }

  private mutating func makeSpool(_ spool: SetupAnswers.Spool) async throws {
    let setup = try setup(spool.group)
    guard try !setup.makeSpool(spool.path, found: spool.agreed ?? .missing), let group = spool.group else { return }
    Self.remark("\(spool.path) has no access control lists: the daemon reads files there as a member of \(group)")
    try await Program.require("usermod", ["-a", "-G", group, place.user])
    Self.show(SetupStep.join(user: place.user, groups: [group]).commands(at: place))
    needsRestart = true
  }

  /// Waits until the sandbox answers, at most 10 seconds.
  private func waitForSandbox() async throws {
    let transport = try Transport(maxConnections: 1)
    defer { transport.shutdown() }
    try await interruptible {
      let end = ContinuousClock.now + .seconds(10)
      while true {
        do throws(TransferError) {
          let request = HTTPRequest(method: "GET", url: LocalSandbox.endpoint, totalTimeout: .seconds(10))
          _ = try await transport.send(request)
          return
        } catch {
          guard .now < end else {
            throw CommandFailure(
              status: .unavailable,
              words: "\(LocalSandbox.unit) was started, and does not answer at \(LocalSandbox.endpoint): \(error.words)"
            )
          }
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private mutating func reload() async throws {
    if needsRestart, let unit = place.unit {
      try await Program.require("systemctl", ["try-restart", unit], unit: unit)
      return
    }
    let client = ControlClient(socket: place.socket, transport: try Transport(maxConnections: 1))
    do throws(ControlError) {
      let answer = try await client.reload()
      Self.remark(DisplayText.escape(answer.message))
      for problem in answer.problems { Self.remark("! \(DisplayText.escape(problem))") }
    } catch .noDaemon {
      Self.remark("no daemon runs: it takes the spool up when it starts")
    } catch .problem(let problem) where problem.status == 422 {
      let words = (problem.detail ?? problem.title).split(separator: "\n").map { DisplayText.escape(String($0)) }
      throw CommandFailure(status: .configuration, words: words.joined(separator: "\n"))
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Drops a file, and waits until it is registered.
  private func dropFirstFile(_ name: String) async throws {
    guard let path = answers?.spools.first?.path else { return }
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let source = "/run/waybill-init-\(JobID.mint(at: .now, random: &random)).txt"
    let words = "waybill init dropped this file, to see one go through.\n"
    try createSmallFile(path: source, Array(words.utf8), owner: (0, 0), permissions: 0o600)
    let folder = try Directory(path: "/run")
    defer {
      do throws(FileError) {
        try folder.remove(Array(source.utf8.dropFirst("/run/".utf8.count)))
      } catch {
        Output.error(error.words)
      }
    }
    var file = AddedFile(file: source, fileName: FileName("waybill-init.txt"), spool: name)
    let began = ContinuousClock.now
    Self.remark("dropping \(file.fileName.shown) into \(path) …")
    let drop = SpoolDrop(
      spool: try Directory(path: path), metadata: [], needsIdentity: false, marker: nil, signals: signals)
    do throws(SpoolDrop.Problem) {
      file.dropped = try drop.put(Array(source.utf8), as: file.fileName.bytes)
    } catch {
      switch error {
      case .spool(let error): throw CommandFailure(status: .failure, words: error.words)
      case .file(let words): throw CommandFailure(status: .failure, words: words)
      }
    }
    let client = ControlClient(socket: place.socket, transport: try Transport(maxConnections: 1))
    let jobs = AddedJobs(client: client, drop: drop, deadline: began + .seconds(60))
    try await jobs.waitFor(&file)
    if let error = file.error {
      throw CommandFailure(
        status: .failure, words: "\(error). See: waybill\(place.option) ask, or waybill\(place.option) status")
    }
    let span = ContinuousClock.now - began
    let tenths = span.milliseconds / 100
    Self.remark("\(file.sentence) after \(tenths / 10).\(tenths % 10) s")
  }
}
