import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Keys that the daemon fetches as AWS's own tools do.
@Suite(.slot)
struct AWSKeyTests {
  private static let chain = "access_key = { aws = \"default\" }"

  /// A program makes a new key at the gateway whenever it is asked for one and takes the one before the last away, which the gateway
  /// refuses from then on. It is asked when the daemon's clock is set ahead. `WAYBILL_TEST_ROTATIONS` is the number of jobs that go across them, 250 by default.
  @Test(.needs(.ceph))
  func manyRotationsRefuseNoJob() async throws {
    let wanted = ProcessInfo.processInfo.environment["WAYBILL_TEST_ROTATIONS"].flatMap { Int($0) } ?? 250
    try await withCeph { ceph in
      let folder = try TemporaryFolder()
      let clock = try await WallClock(in: folder.url)
      let program = """
        set -e
        export \(clock.variables.map { "\($0.key)='\($0.value)'" }.joined(separator: " "))
        admin() {
          '\(Products.support("unpacked.sh"))' ceph radosgw-admin -c \(ceph.ceph)/ceph.conf -n client.admin "$@" \
            > /dev/null 2>> \(folder.file("errors"))
        }
        id=K$(od -An -tx1 -N8 /dev/urandom | tr -d ' \\n')
        admin key create --uid=test --access-key="$id" --secret-key="S$id"
        echo "$id" >> \(folder.file("made"))
        old=$(tail -n 3 \(folder.file("made")) | head -n 1)
        if [ "$(wc -l < \(folder.file("made")))" -ge 3 ]; then admin key rm --uid=test --key-type=s3 --access-key="$old"; fi
        printf '{"Version": 1, "AccessKeyId": "%s", "SecretAccessKey": "S%s", "Expiration": "%s"}' \
          "$id" "$id" "$(date -u -d '+120 seconds' +%FT%TZ)"
        """
      try folder.write("keys.sh", program)
      try folder.write("config", "[profile program]\ncredential_process = sh \(folder.file("keys.sh"))\n")
      try await withRig(
        environment: ["AWS_CONFIG_FILE": folder.file("config"), "AWS_PROFILE": "program"].merging(clock.variables) {
          $1
        },
        {
          $0.storage = ceph.storage
          $0.keyLines = [Self.chain]
        }
      ) { rig in
        // There is no file before the first one.
        func made() -> [String] {
          let all = FileManager.default.contents(atPath: folder.file("made")) ?? Data()
          return String(decoding: all, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        var count = 0
        func dropSome() async throws {
          for _ in 1...10 {
            count += 1
            try rig.drop("\(count).pdf")
          }
          try await until("most of them") { try await rig.daemon.count("registered") >= count - 10 }
        }
        // Requests with the key before are in flight while the next one is made. Those with the one before that have ended.
        for turn in 0...4 {
          try clock.set(hours: 100.0 * Double(turn) / 3600)
          try await until("rotation \(turn)") {
            try await dropSome()
            return made().count > turn
          }
        }
        while count < wanted { try await dropSome() }
        try await until("all to be registered") {
          try await rig.daemon.count("registered") == count
        }
        let statuses = try ceph.statuses("PUT /\(ceph.storage.bucket)/")
        #expect(statuses.count >= count && statuses.allSatisfy { $0 == 200 }, "\(Set(statuses))")
        let jobs = try await rig.daemon.waybill("list", "--json", "--limit", "1000").output
        #expect(!jobs.contains("InvalidAccessKeyId"))
        // The proof that a key that was taken away is refused.
        let first = try #require(made().first)
        let answer = try await HTTPAnswer.call(
          "GET", "\(ceph.storage.endpoint)/\(ceph.storage.bucket)",
          options: ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "\(first):S\(first)"])
        #expect(answer.status == 403, "\(answer)")
      }
    }
  }
}
