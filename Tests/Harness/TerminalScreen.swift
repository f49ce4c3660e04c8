import ChildProcesses
import Foundation

/// A terminal with a shell in it, as a person has one: tmux draws the screen, presses the keys and reads the lines.
struct TerminalScreen: Sendable {
  private let tmux: [String]
  private let folder: URL

  /// Opens one. The shell's environment has what is given here.
  init(in folder: URL, columns: Int = 100, environment: [String: String]) async throws {
    self.folder = folder
    tmux = Products.unpacked("clients") + ["tmux", "-u", "-S", folder.appending(path: "tmux").path, "-f", "/dev/null"]
    let variables = environment.map { "\($0)=\($1)" }
    let shell = ["env", "PS1=$ ", "HISTFILE="] + variables + ["bash", "--norc", "--noprofile"]
    try await Command.require(
      tmux + ["new-session", "-d", "-x", String(columns), "-y", "200", "--"] + shell)
    try await shows("$")
  }

  func type(_ text: String) async throws { try await Command.require(tmux + ["send-keys", "-l", "--", text]) }

  /// Presses a key by tmux's name of it, e.g. `Enter`, `C-c`.
  func press(_ key: String) async throws { try await Command.require(tmux + ["send-keys", key]) }

  /// Has the shell run a line, which tells its exit status at its end, and leaves the settings of the terminal before
  /// and after it in files.
  func run(_ line: String) async throws {
    let before = folder.appending(path: "before").path
    let after = folder.appending(path: "after").path
    let script = "trap : INT; stty -g > '\(before)'; \(line); s=$?; stty -g > '\(after)'; echo ended with $s"
    let file = folder.appending(path: "line.sh")
    try script.write(to: file, atomically: true, encoding: .utf8)
    try await type(". '\(file.path)'")
    try await press("Enter")
  }

  func lines() async throws -> [String] {
    try await Command.require(tmux + ["capture-pane", "-p", "-J"]).split(separator: "\n").map(String.init)
  }

  func shows(_ text: String, times: Int = 1, line: Int = #line) async throws {
    do {
      try await until("the screen to show '\(text)'", every: .milliseconds(50), line: line) {
        try await lines().count { $0.contains(text) } >= times
      }
    } catch is TimedOut {
      throw Missing("line \(line): '\(text)' is not on the screen:\n" + (try await lines().joined(separator: "\n")))
    }
  }

  /// Empties the screen, so that nothing from before is taken for what comes.
  func clear() async throws {
    try await press("C-l")
    try await until("the screen to be empty") { try await lines().count { !$0.isEmpty } == 1 }
  }

  func ended(line: Int = #line) async throws -> Int {
    try await shows("ended with ", line: line)
    let last = try await lines().last { $0.hasPrefix("ended with ") }
    return last.flatMap { Int($0.dropFirst("ended with ".count)) } ?? -1
  }

  /// The terminal's settings before and after what was run, as `stty -g` tells them.
  func settings() throws -> (before: String, after: String) {
    func read(_ name: String) throws -> String {
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return (try read("before"), try read("after"))
  }

  func whileOpen(_ body: (TerminalScreen) async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await body(self)) } catch { result = .failure(error) }
    _ = try? await Command.run(tmux + ["kill-server"])
    try result.get()
  }
}

extension Rig {
  func withTerminal(columns: Int = 100, _ body: (TerminalScreen) async throws -> Void) async throws {
    let place = try folder.madeFolder("terminal")
    let screen = try await TerminalScreen(
      in: place, columns: columns, environment: ["WAYBILL_SOCKET": setup.socket, "waybill": Products.command])
    try await screen.whileOpen(body)
  }
}
