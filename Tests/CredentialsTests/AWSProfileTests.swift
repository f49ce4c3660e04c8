import ChildProcesses
import Testing

@testable import Credentials

@Suite struct AWSProfileTests {
  private let directory: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    directory = try TemporaryFolder()
    environment = ["AWS_SHARED_CREDENTIALS_FILE": directory.file("credentials"), "HOME": "/nowhere"]
  }

  private func write(_ text: String) throws { try directory.write("credentials", text) }

  @Test func readsProfileAmongOthers() throws {
    try write(
      """
      # of two
      [default]
      aws_access_key_id = AKID0
      aws_secret_access_key = other

      [ uploads ]
        aws_access_key_id=AKID1
      AWS_SECRET_ACCESS_KEY = a/b+c=
      ; the session's
      aws_session_token = t1
      region = eu-central-1
      [last]
      aws_access_key_id = AKID2
      """)
    let profile = try CredentialReader(.awsProfile("uploads"), environment: environment).profile()
    #expect(profile.accessKey == "AKID1")
    #expect(profile.secret == "a/b+c=")
    #expect(profile.sessionToken == "t1")
    let plain = try CredentialReader(.awsProfile("default"), environment: environment).profile()
    #expect(plain.sessionToken == nil)
    #expect(try CredentialReader(.awsProfile("default"), environment: environment).read().text == "AKID0")
  }

  @Test(arguments: [
    ("[default]\n", "has no profile [uploads]"), ("", "has no profile [uploads]"),
    ("[uploads]\naws_access_key_id = a\n", "has no aws_secret_access_key in the profile [uploads]"),
    ("[uploads]\naws_secret_access_key = a\n", "has no aws_access_key_id in the profile [uploads]"),
    (
      "[uploads]\naws_access_key_id =\naws_secret_access_key = a\n",
      "has a aws_access_key_id in the profile [uploads] that is empty"
    ),
  ]) func reportsMissingProfilesAndKeys(_ text: String, _ words: String) throws {
    try write(text)
    let reader = CredentialReader(.awsProfile("uploads"), environment: environment)
    let error = #expect(throws: CredentialError.self) { try reader.profile() }
    #expect(error?.words == "\(directory.path)/credentials \(words)")
  }

  @Test func defaultsToCredentialsFileAtHome() throws {
    try directory.write(".aws/credentials", "[a]\naws_access_key_id = one\naws_secret_access_key = s\n")
    let reader = CredentialReader(.awsProfile("a"), environment: ["HOME": directory.path])
    #expect(try reader.profile().accessKey == "one")
    let homeless = #expect(throws: CredentialError.self) {
      try CredentialReader(.awsProfile("a"), environment: [:]).profile()
    }
    #expect(homeless?.words == "AWS profile a cannot be found: neither AWS_SHARED_CREDENTIALS_FILE nor HOME is set")
    let missing = #expect(throws: CredentialError.self) {
      try CredentialReader(.awsProfile("a"), environment: environment).profile()
    }
    #expect(missing?.words == "cannot read \(directory.path)/credentials: No such file or directory")
  }
}
