import ChildProcesses
import Credentials
import Testing

@testable import FetchedCredentials

@Suite(.slot, .bounded) struct CredentialProcessTests {
  private static let json = #"{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "SessionToken": "t"}"#

  @Test func `what a program prints are the keys`() async throws {
    let keys = try await CredentialProcess("printf '%s' '\(Self.json)'").keys()
    #expect(keys.profile?.accessKey.text == "A" && keys.profile?.sessionToken?.text == "t" && keys.expires == nil)
  }

  @Test(arguments: [
    ("/bin/echo '\(json)'", nil), ("echo '\(json)'", nil),
    ("/nonexistent/program", "cannot be run"), ("nonexistent", "cannot be run"), ("", "cannot be run"),
    ("false x", "failed"),
  ]) func `without a shell the program itself is run`(_ command: String, _ words: String?) async throws {
    let process = CredentialProcess(command, shell: "/nonexistent/sh")
    guard let words else { return #expect(try await process.keys().profile?.accessKey.text == "A") }
    let failure = await #expect(throws: FetchFailure.self) { try await process.keys() }
    #expect(failure?.words.contains(words) == true, "\(failure?.words ?? "")")
  }

  @Test(arguments: [
    ("/opt/keys  --role up", ["/opt/keys", "--role", "up"]),
    ("\"/opt/my keys\" 'a \"b\"' ''", ["/opt/my keys", "a \"b\"", ""]),
    (#"a\ b "c\"d" 'e\f' g'h'"i""#, ["a b", "c\"d", #"e\f"#, "ghi"]), ("  ", []), (#"x\"#, ["x"]),
  ]) func `a command line has words`(_ line: String, _ words: [String]) {
    #expect(CredentialProcess.words(of: line) == words)
  }

  @Test(arguments: [
    ("exit 3", "failed"), ("/nonexistent/program", "failed"), ("echo nothing", "printed no keys"),
    (#"printf '%s' '{"Version": 2}'"#, "printed no keys"), (#"printf '%s' '{"Version": 1}'"#, "no valid AccessKeyId"),
    (
      #"printf '%s' '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "Expiration": "soon"}'"#,
      "an Expiration that is not a time"
    ),
    ("head -c 1000000 /dev/zero", "cannot be run"), ("sleep 5 & exit 0", "printed no keys"),
  ]) func `what is no key is told`(_ command: String, _ words: String) async throws {
    let failure = await #expect(throws: FetchFailure.self) { try await CredentialProcess(command).keys() }
    #expect(failure?.words.contains(words) == true, "\(failure?.words ?? "")")
  }

  /// What a shell that is ended has begun would keep the output open.
  @Test(arguments: [
    "sleep 3600; true", "sleep 3600 | cat", "trap '' TERM INT; sleep 3600; true",
  ])
  func `a program that does not end is ended with all that it began`(_ command: String) async throws {
    let failure = await #expect(throws: FetchFailure.self) {
      try await CredentialProcess(command, limit: .milliseconds(200)).keys()
    }
    #expect(failure?.words.contains("took longer than") == true, "\(failure?.words ?? "")")
  }
}
