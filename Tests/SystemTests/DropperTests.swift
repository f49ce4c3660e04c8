import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Two who drop files into a spool with the rights that the manual gives it: each file is taken, and the other dropper can neither
/// read, change, link, move nor remove it.
@Suite(.slot, .needs(.testUsers, .lease))
struct DropperTests {
  /// A way to drop `$1` as `$2/NAME`.
  struct Way: Sendable {
    let name: String
    let script: String
    var needs = "sh"
    /// False if it puts a mode of its own in place of the spool's ACL, so that the mode says who may read.
    var keepsACL = true
    /// The file in a directory that is dropped; nil for a file by itself.
    var file: String?

    var path: String { file.map { "\(name)/\($0)" } ?? name }
  }

  static let ways = [
    Way(name: "cp", script: #"cp "$1" "$2/cp""#),
    Way(name: "redirected", script: #"cat "$1" > "$2/redirected""#),
    Way(name: "tee", script: #"tee "$2/tee" < "$1" > /dev/null"#),
    Way(name: "dd", script: #"dd if="$1" of="$2/dd" status=none"#),
    Way(name: "renamed", script: #"cp "$1" "$2/.r" && chmod 0660 "$2/.r" && mv "$2/.r" "$2/renamed""#),
    Way(name: "open umask", script: #"umask 0; cat "$1" > "$2/open umask""#),
    Way(name: "rsync", script: #"rsync --chmod=F0660 "$1" "$2/rsync""#, needs: "rsync"),
    Way(name: "rsync-times", script: #"rsync -t "$1" "$2/rsync-times""#, needs: "rsync"),
    Way(name: "moved", script: #"cp "$1" /dev/shm/wb-moved.$$ && mv /dev/shm/wb-moved.$$ "$2/moved""#, keepsACL: false),
    Way(name: "cp-p", script: #"cp -p "$1" "$2/cp-p""#, keepsACL: false),
    Way(name: "install", script: #"install -m 0644 "$1" "$2/install""#, needs: "install", keepsACL: false),
    Way(
      name: "moved-here", script: #"umask 022; cp "$1" "$2/../mine/moved-here" && mv "$2/../mine/moved-here" "$2/""#,
      keepsACL: false),
    Way(name: "put", script: #"cat "$1" > "$2/.put.new" && chmod 660 "$2/.put.new" && mv "$2/.put.new" "$2/put""#),
    Way(name: "sent-p", script: #"rsync -p --chmod=F0666 "$1" "$2/sent-p""#, needs: "rsync"),
    Way(name: "mode-after", script: #"cat "$1" > "$2/mode-after" && chmod 0666 "$2/mode-after""#),
    Way(name: "scan.json", script: #"cat "$1" > "$2/scan.json""#),
    Way(name: "made", script: #"mkdir "$2/made" && cp "$1" "$2/made/f""#, file: "f"),
    Way(name: "made-open", script: #"umask 0; mkdir -m 777 "$2/made-open" && cp "$1" "$2/made-open/f""#, file: "f"),
    Way(
      name: "copied",
      script: #"mkdir -p "$2/../mine/copied" && cp "$1" "$2/../mine/copied/f" && cp -r "$2/../mine/copied" "$2/""#,
      file: "f"),
    Way(
      name: "unpacked",
      script: #"mkdir "$2/unpacked" && tar -C "$(dirname "$1")" -cf - source | tar -C "$2/unpacked" -xf -"#,
      needs: "tar", file: "source"),
    Way(
      name: "synced",
      script:
        #"mkdir -p "$2/../mine/s" && cp "$1" "$2/../mine/s/f" && rsync -a --chmod=D2770,F0660 "$2/../mine/s/" "$2/synced/""#,
      needs: "rsync", file: "f"),
    Way(name: "vim", script: #"vim -es -u NONE -c 'set nobackup' -c 'normal iabc' -c "w $2/vim" -c q"#, needs: "vim"),
    Way(name: "ed", script: #"printf 'a\nabc\n.\nw %s\nq\n' "$2/ed" | ed -s"#, needs: "ed"),
  ]

  /// What another dropper would like to do to `$1`, with a directory `$2` of theirs on the same file system.
  private static let deeds: KeyValuePairs<String, String> = [
    "read": #"cat "$1""#, "append": #"echo x >> "$1""#, "overwrite": #"cp /etc/hostname "$1""#,
    "truncate": #": > "$1""#, "link": #"ln "$1" "$2/linked""#, "move": #"mv "$1" "$2/""#, "remove": #"rm -f "$1""#,
    "change the mode": #"chmod 0666 "$1""#, "change the ACL": #"setfacl -m u:64999:rw "$1""#,
  ]

  @Test func claimsDropsInaccessibleToOtherDroppers() async throws {
    try await withRig(users: OtherUsers(leases: true)) { rig in
      let spool = rig.setup.spool.path
      // The files are to stay in the spool for a while.
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      let source = rig.folder.appending(path: "source")
      try Data("secret\n".utf8).write(to: source)
      #expect(unsafe chmod(source.path, 0o644) == 0)
      let theirs = rig.folder.appending(path: "theirs").path
      try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: false)
      let other = ["setpriv", "--reuid", "64999", "--regid", OtherUser.dropper.name, "--clear-groups", "--"]
      try await Command.require(["chown", "64999:\(OtherUser.dropper.name)", theirs])
      let mine = rig.folder.appending(path: "mine").path
      try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: false)
      try await Command.require(["chown", OtherUser.dropper.name, mine])
      try await Command.require(["chmod", "0755", rig.folder.path])

      var ways: [Way] = []
      for way in Self.ways where try await Command.run(["sh", "-c", "command -v \(way.needs)"]).status == 0 {
        try await OtherUser.dropper.require(["sh", "-ec", way.script, "_", source.path, spool])
        ways.append(way)
      }
      try await Command.require(["setfacl", "-m", "u:\(OtherUser.dropper.name):rw", rig.setup.socket])
      try await OtherUser.dropper.require(
        [Products.command, "add", "--socket", rig.setup.socket, "--spool", "documents", "--name", "added", source.path])
      ways.append(Way(name: "added", script: ""))

      let protectsLinks = try String(contentsOfFile: "/proc/sys/fs/protected_hardlinks", encoding: .utf8).first != "0"
      for way in ways {
        for (deed, script) in Self.deeds {
          if deed == "read", !way.keepsACL { continue }
          if deed == "link", !protectsLinks { continue }
          let done = try await Command.run(other + ["sh", "-ec", script, "_", "\(spool)/\(way.path)", theirs])
          #expect(done.status != 0, "another dropper could \(deed) \(way.path): \(done)")
        }
      }
      #expect(try await rig.daemon.waybill("resume", "--intake").status == 0)
      let files = ways.filter { $0.file == nil }
      for way in files { try await rig.daemon.job(named: way.name, in: "registered") }
      #expect(try await rig.daemon.count("registered") == files.count, "what is in directories stays")
    }
  }
}
