import Glibc
import Linux
import SystemdLink

/// Does in a process of its own what the tests cannot do in theirs: be started with systemd's environment, and enter
/// the namespace of a private journald.
@main
enum Probe {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let tag = arguments.dropFirst().first ?? ""
    let count = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    switch arguments.first {
    case "fields": try await fields(tag)
    case "many": try await many(tag, count)
    case "notify": notify()
    case "sockets": try sockets()
    default:
      say("usage: systemd-link-probe fields|many|notify|sockets [TAG] [COUNT]")
      exit(64)
    }
  }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  static func entry(_ tag: String, _ message: String, _ priority: JournalEntry.Priority = .info) -> JournalEntry {
    var entry = JournalEntry(message: message, priority: priority)
    entry.append("PROBE_TAG", tag)
    return entry
  }

  /// Ends with 0 if all was written within 30 s.
  static func flush(_ journal: JournalWriter) async {
    if await !journal.flush(deadline: .now + .seconds(30)) {
      say("not flushed")
      exit(1)
    }
    say("flushed")
  }

  static func fields(_ tag: String) async throws {
    let journal = try JournalWriter(identifier: "probe")
    for priority in JournalEntry.Priority.allCases { journal.send(entry(tag, "priority \(priority)", priority)) }
    var rich = JournalEntry(
      message: "with\nall\u{1b}[31m kinds", priority: .warning,
      messageID: "0123456789abcdef0123456789abcdef")
    rich.append("PROBE_TAG", tag)
    rich.append("PROBE_BYTES", [0, 10, 0xFF, 0xFE])
    rich.append("PROBE_TEXT", "naïve \"quoted\" \u{202e}text")
    rich.append("PROBE_NUMBER", -42)
    rich.append("PROBE_EMPTY", "")
    rich.append("PROBE_LONG", String(repeating: "é", count: 10 * 1024))
    journal.send(rich)
    await flush(journal)
  }

  /// Entries numbered from 0, all sent before the first word on standard output.
  static func many(_ tag: String, _ count: Int) async throws {
    let journal = try JournalWriter(identifier: "probe", entryLimit: 20_000, byteLimit: 64 << 20)
    var waiting: [JournalEntry] = []
    for index in 0..<count {
      var entry = entry(tag, "entry \(index)")
      entry.append("PROBE_INDEX", index)
      // every third alone, the others in pairs
      if index % 3 == 0 {
        journal.send(waiting)
        waiting = []
        journal.send(entry)
      } else {
        waiting.append(entry)
      }
    }
    journal.send(waiting)
    say("sent")
    await flush(journal)
  }

  static func notify() {
    let notifier = ServiceNotifier { say("failed: \($0)") }
    say("watchdog \(notifier.watchdogInterval.map { "\($0)" } ?? "off")")
    notifier.extendTimeout(.milliseconds(1500))
    notifier.ready(status: "up")
    notifier.status("up")
    notifier.status("two\nlines")
    notifier.status("two\nlines")
    notifier.reloading()
    notifier.ready()
    notifier.watchdog()
    notifier.stopping(status: "down")
  }

  static func sockets() throws {
    do {
      for socket in try PassedSockets.adopt() { say("\(socket.name) \(socket.path ?? "-") \(socket.descriptor)") }
    } catch {
      say("error: \(error)")
    }
    say("again \(try PassedSockets.adopt().count), LISTEN_FDS \(unsafe getenv("LISTEN_FDS") == nil ? "gone" : "there")")
  }
}
