import ChildProcesses
import Foundation
import Linux
import Messages
import Testing
@testable import Credentials

@Suite(.slot, .bounded) struct CredentialProcessTests {
  private static let json = #"{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "SessionToken": "t"}"#

  @Test func readsKeysFromOutput() async throws {
    let keys = try await CredentialProcess("printf '%s' '\(Self.json)'").keys()
    #expect(keys.profile?.accessKey == "A" && keys.profile?.sessionToken == "t" && keys.expires == nil)
  }

  /// The daemon raises its own limit, which is not for programs.
  @Test func limitsDescriptors() async throws {
    let command = #"printf '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "%s"}' "$(ulimit -S -n)""#
    for limit in [64, 100] {
      let keys = try await CredentialProcess(command, descriptors: limit).keys()
      #expect(keys.profile?.secret == "\(limit)")
    }
    let own = try await CredentialProcess(command, descriptors: nil).keys()
    #expect(own.profile?.secret == "\(DescriptorLimit.current)")
  }

  @Test(arguments: [
    ("/bin/echo  \(json)", nil), ("echo \(json)", nil),
    ("/nonexistent/program", "cannot be run"), ("nonexistent", "cannot be run"), ("", "cannot be run"),
    ("false x", "failed"),
  ]) func runsProgramWithoutShell(_ command: String, _ words: String?) async throws {
    let process = CredentialProcess(command, shell: "/nonexistent/sh")
    guard let words else { return #expect(try await process.keys().profile?.accessKey == "A") }
    let failure = await #expect(throws: KeyFault.self) { try await process.keys() }
    #expect(failure?.message.text.contains(words) == true, "\(failure?.message.text ?? "")")
  }

  @Test(arguments: [
    ("exit 3", "failed"), ("/nonexistent/program", "failed"), ("echo nothing", "printed no keys"),
    (#"printf '%s' '{"Version": 2}'"#, "printed no keys"), (#"printf '%s' '{"Version": 1}'"#, "no valid AccessKeyId"),
    (
      #"printf '%s' '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "Expiration": "soon"}'"#,
      "an Expiration that is not a time"
    ),
    ("head -c 1000000 /dev/zero", "cannot be run"), ("yes", "cannot be run"), ("cat /dev/zero", "cannot be run"),
    ("sleep 5 & exit 0", "printed no keys"),
  ]) func reportsProgramWithoutKeys(_ command: String, _ words: String) async throws {
    let failure = await #expect(throws: KeyFault.self) { try await CredentialProcess(command).keys() }
    #expect(failure?.message.text.contains(words) == true, "\(failure?.message.text ?? "")")
  }

  /// What a shell that is ended has begun would keep the output open.
  @Test(arguments: [
    "sleep 3600; true", "sleep 3600 | cat", "trap '' TERM INT; sleep 3600; true",
  ])
  func timeoutKillsProgramAndChildren(_ command: String) async throws {
    let failure = await #expect(throws: KeyFault.self) {
      try await CredentialProcess(command, limit: .milliseconds(200)).keys()
    }
    #expect(failure?.message.text.contains("took longer than") == true, "\(failure?.message.text ?? "")")
  }

  /// What a program is for goes; what is the daemon's own, of the service manager or a secret, does not.
  @Test func passesOnlyNeededEnvironment() {
    let passed = [
      "HOME": "/var/lib/waybill", "PATH": "/opt/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C", "TZ": "UTC",
      "AWS_PROFILE": "up",
      "AWS_CONFIG_FILE": "/etc/aws", "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token",
      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/run/t",
      "AWS_CA_BUNDLE": "/etc/ca.pem", "AWS_REGION": "eu-central-1", "https_proxy": "http://u:pass@proxy:1",
      "NO_PROXY": "x",
      "SSL_CERT_FILE": "/etc/ca.pem",
    ]
    let kept = [
      "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID",
      "CREDENTIALS_DIRECTORY",
      "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "JOURNAL_STREAM", "INVOCATION_ID", "MAINPID", "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
      "VAULT_TOKEN",
      "WAYBILL_BACKEND_MAIN_TOKEN", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "SWIFT_BACKTRACE",
      "XDG_RUNTIME_DIR",
    ]
    let environment = ProgramEnvironment(of: passed.merging(kept.map { ($0, "secret-of-\($0)") }) { $1 })
    #expect(environment.variables == passed)
    #expect(ProgramEnvironment(of: [:]).variables.keys.sorted() == ["PATH"])
  }

  /// What it writes to standard error may have its secrets.
  @Test func failureTellsNothingOfProgram() async throws {
    let failure = await #expect(throws: KeyFault.self) {
      try await CredentialProcess("echo hunter22 >&2; exit 3 # --password hunter22").keys()
    }
    let words = failure?.message.text ?? ""
    #expect(words.contains("failed") && words.contains("3") && !words.contains("hunter22"), "\(words)")
    #expect(failure?.advice?.text == "run it by hand as the daemon's user")
  }

  /// Its own session, no input, and no descriptor but its own.
  @Test func programInheritsNothingFromDaemon() async throws {
    let file = try #require(FileHandle(forReadingAtPath: "/etc/passwd"))
    defer { try? file.close() }
    let command = #"""
      read line && exit 1; ids=$(cut -d ' ' -f 1,5,6 /proc/$$/stat); set -- $ids; [ $1 = $2 ] && [ $1 = $3 ] || { echo "ids $ids" >&2; exit 2; }
      fds=$(ls /proc/self/fd); set -- $fds; [ $# = 4 ] || { echo "descriptors $fds" >&2; exit 3; }
      printf '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s"}'
      """#
    #expect(try await CredentialProcess(command).keys().profile?.accessKey == "A")
  }
}
