import ChildProcesses
import Foundation
import Testing

/// Keys that the daemon fetches as AWS's own tools do.
@Suite(.slot)
struct AWSKeyTests {
  private static let chain = "access_key = { aws = \"default\" }"

  @Test(.enabled(if: MotoServer.canRun, "needs moto: .build-test/moto-venv"))
  func theMetadataOfAnInstanceGivesKeys() async throws {
    try await withMoto { moto in
      try await withRig(
        environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": moto.address], sandbox: MotoServer.instanceKeys,
        { $0.keyLines = [Self.chain] }
      ) { rig in
        try await rig.drop("a.pdf", until: "registered")
        let list = try await rig.daemon.waybill("credentials").output
        #expect(list.contains("AWS credential chain") && list.contains("test-key"))
        #expect(!list.contains("test-secret-key") && !list.contains("test-session-token"))
      }
    }
  }

  /// The gateway verifies the signature of the daemon's AssumeRole, and then that of each upload with the keys it gave.
  @Test(.enabled(if: CephUser.canRun, "needs Ceph: WAYBILL_TEST_CEPH"))
  func aRoleIsTakenOnWithTheKeysOfAnotherProfile() async throws {
    try await withCeph(withTemporaryKeys: true) { ceph in
      _ = try await ceph.temporaryKeys()  // makes the role
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try folder.write(
        "config", "[profile up]\nrole_arn = arn:aws:iam:::role/up\nsource_profile = base\nduration_seconds = 900\n")
      try folder.write(
        "credentials",
        "[base]\naws_access_key_id = \(ceph.storage.accessKey)\naws_secret_access_key = \(ceph.storage.secretKey)\n")
      let environment = [
        "AWS_CONFIG_FILE": folder.file("config"), "AWS_SHARED_CREDENTIALS_FILE": folder.file("credentials"),
        "AWS_ENDPOINT_URL_STS": ceph.storage.endpoint,
      ]
      try await withRig(
        environment: environment,
        {
          $0.storage = ceph.storage
          $0.keyLines = ["access_key = { aws = \"up\" }"]
        }
      ) { rig in
        for number in 1...20 { try rig.drop("\(number).pdf") }
        try await until("all to be registered") { try await rig.daemon.count("registered") == 20 }
      }
    }
  }

  @Test func aProgramGivesKeysThatAreRenewedBeforeTheyExpire() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await withRig(
      environment: ["AWS_CONFIG_FILE": folder.file("config"), "AWS_PROFILE": "program"],
      { setup in
        setup.keyLines = [Self.chain]
        try folder.write(
          "keys.sh",
          """
          echo x >> \(folder.file("calls"))
          printf '{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s", "Expiration": "%s"}' \
            \(setup.storage.accessKey) \(setup.storage.secretKey) "$(date -u -d '+4 seconds' +%FT%TZ)"
          """)
        try folder.write("config", "[profile program]\ncredential_process = sh \(folder.file("keys.sh"))\n")
      }
    ) { rig in
      var number = 0
      try await until("several renewals") {
        number += 1
        try await rig.drop("\(number).pdf", until: "registered")
        return try String(contentsOfFile: folder.file("calls"), encoding: .utf8).count >= 8
      }
      #expect(try await rig.daemon.count("registered") == number)
    }
  }

  @Test func keysThatCannotBeHadAreWaitedForWithWords() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write("config", "[profile program]\ncredential_process = sh \(folder.file("keys.sh"))\n")
    try folder.write("keys.sh", "echo the vault is sealed >&2; exit 3\n")
    try await withRig(
      environment: ["AWS_CONFIG_FILE": folder.file("config"), "AWS_PROFILE": "program"],
      { $0.keyLines = [Self.chain] }
    ) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      let words = job.error.message.string ?? ""
      #expect(words.contains("credential_process sh failed") && words.contains("the vault is sealed"), "\(words)")
      try folder.write(
        "keys.sh",
        """
        printf '{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "%s"}' \
          \(rig.setup.storage.accessKey) \(rig.setup.storage.secretKey)
        """)
      try await until("it to go on by itself") { try await rig.daemon.count("registered") == 1 }
    }
  }

  @Test func anInstanceWithoutMetadataIsToldWithTheRemedy() async throws {
    try await withRig(
      environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"], { $0.keyLines = [Self.chain] }
    ) { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-credentials")
      #expect(job.error.message.string?.contains("raise the hop limit to 2") == true, "\(job.error.message)")
    }
  }

  @Test func aProfileThatDoesNotExistIsToldAtTheStart() async throws {
    try await withRig(
      starting: false, environment: ["AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"],
      { $0.keyLines = ["access_key = { aws = \"gone\" }"] }
    ) { rig in
      let child = try rig.daemon.launch()
      #expect(try await child.end() == .exit(78))
      #expect(child.errorText.contains("storage.main.access_key: AWS profile gone"), "\(child.errorText)")
      #expect(!child.errorText.contains("secret_key"), "\(child.errorText)")
    }
  }
}
