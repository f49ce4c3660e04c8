import Credentials
import Testing

@testable import waybill

/// Keys that other tools have.
@Suite struct KeySearchTests {
  private func search(_ files: [String: String], environment: [String: String] = [:]) -> KeySearch {
    KeySearch(homes: ["/root", "/home/kim"], environment: environment) { files[$0] }
  }

  @Test func findsKeysOfEachTool() {
    let found = search(
      [
        "/home/kim/.aws/credentials": "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s1\n",
        "/home/kim/.aws/config": "[default]\nregion = eu-west-1\n",
        "/home/kim/.config/rclone/rclone.conf": """
        [minio]
        type = s3
        access_key_id = mini1
        secret_access_key = s2
        endpoint = http://127.0.0.1:9000/
        [box]
        type = box
        [empty]
        type = s3
        """,
        "/root/.s3cfg":
          "[default]\naccess_key = ceph1\nsecret_key = s3\nhost_base = s3.example.com:7480\nuse_https = False\n"
          + "bucket_location = US\n",
      ],
      environment: [
        "AWS_ACCESS_KEY_ID": "ASIA1", "AWS_SECRET_ACCESS_KEY": "s4", "AWS_SESSION_TOKEN": "t",
        "AWS_REGION": "us-west-2",
      ]
    ).found
    #expect(
      found.map { [$0.access.text, $0.secret.text, $0.token?.text, $0.endpoint, $0.region] } == [
        ["ASIA1", "s4", "t", nil, "us-west-2"],
        ["ceph1", "s3", nil, "http://s3.example.com:7480", nil],
        ["AKIA1", "s1", nil, nil, "eu-west-1"],
        ["mini1", "s2", nil, "http://127.0.0.1:9000", nil],
      ])
    #expect(
      found.map(\.shown) == [
        "ASIA… from the environment (AWS_ACCESS_KEY_ID) (temporary)", "ceph… from /root/.s3cfg",
        "AKIA… from /home/kim/.aws/credentials, profile default",
        "mini… from /home/kim/.config/rclone/rclone.conf, remote minio",
      ])
    for (index, word) in ["env", "s3cfg", "aws", "rclone:minio"].enumerated() {
      #expect(found.indices.filter { found[$0].isMeant(by: word) } == [index], "\(word)")
    }
    #expect(found[2].isMeant(by: "aws:default") && !found[2].isMeant(by: "aws:dev"))
  }

  @Test func leavesRolesAndEncryptedFilesInWords() {
    let search = search([
      "/home/kim/.aws/config": """
      [profile dev]
      role_arn = arn:aws:iam::1:role/x
      source_profile = default
      [profile login]
      sso_session = x
      """,
      "/home/kim/.config/rclone/rclone.conf": "# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n",
      "/root/.config/rclone/rclone.conf": "[here]\ntype = s3\nenv_auth = true\n",
    ])
    #expect(search.found.isEmpty)
    #expect(search.left.count == 4)
    for (words, text) in zip(["remote here", "profile dev", "profile login", "is encrypted"], search.left) {
      #expect(text.contains(words), "\(text)")
    }
    #expect(search.left[1].contains("role_arn") && search.left[1].contains(#"{ aws = "dev" }"#))
    #expect(search.left[2].contains("sso_session"))
  }

  @Test func findsTheSameKeysOnce() {
    let text = "[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
    let search = search(
      ["/root/.aws/credentials": text, "/home/kim/.aws/credentials": text],
      environment: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"])
    #expect(search.found.count == 1)
  }

  /// The same key in another region is another place, and each name that a key has can be an option.
  @Test func sameKeysInOtherRegionsStay() {
    func text(_ profile: String) -> String { "[\(profile)]\naws_access_key_id = A\naws_secret_access_key = s\n" }
    let search = search(
      [
        "/home/kim/.aws/credentials": text("default") + text("east") + text("west") + text("plain"),
        "/home/kim/.aws/config": "[default]\nregion = eu-west-1\n[profile east]\nregion = us-east-1\n"
          + "[profile west]\nregion = eu-west-1\n",
      ],
      environment: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"])
    #expect(search.found.map(\.region) == ["eu-west-1", "us-east-1"], "what the environment lacks, a profile says")
    for (word, region) in [
      ("env", nil), ("aws", "eu-west-1"), ("aws:east", "us-east-1"), ("aws:west", "eu-west-1"), ("aws:plain", nil),
    ] as [(String, String?)] {
      let meant = search.named.filter { $0.isMeant(by: word) }
      #expect(meant.count == 1 && meant[0].region == region, "\(word): \(meant)")
    }
    #expect(search.named.map(\.word) == ["env", "aws:default", "aws:east", "aws:plain", "aws:west"])
  }

  @Test func showsNothingOfSecrets() {
    let secret = "wJalrXUtnFEMI"
    let search = search([
      "/root/.aws/credentials":
        "[a\u{1B}]\naws_access_key_id = AKIA\u{202E}XXXXXXXX\naws_secret_access_key = \(secret)\n"
    ])
    #expect(search.found.count == 1)
    let all = "\(search.found) " + search.found.map(\.shown).joined()
    #expect(!all.contains(secret) && !all.contains("XXXXXXXX") && !all.contains("\u{1B}") && !all.contains("\u{202E}"))
  }

  /// A key with a line end or a control character would not fit a header.
  @Test func leavesUnfitKeysOut() {
    #expect(search(["/root/.s3cfg": "[default]\naccess_key = a\u{7}b\nsecret_key = s\n"]).found.isEmpty)
    #expect(search(["/root/.s3cfg": "[default]\naccess_key = a\nsecret_key =\n"]).found.isEmpty)
  }
}
