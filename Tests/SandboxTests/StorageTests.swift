import ChildProcesses
import Foundation
import Testing

@Suite(.slot) struct StorageTests {
  @Test func ifNoneMatchKeepsExistingObject() async throws {
    try await withSandbox { sandbox async throws in
      let once = ["-H", "If-None-Match: *"]
      #expect(try await sandbox.put("/documents/a", "first", once).status == 200)
      let second = try await sandbox.put("/documents/a", "second", once)
      #expect(second.status == 412)
      #expect(second.body.contains("<Code>PreconditionFailed</Code>"))
      #expect(try sandbox.object("a") == Data("first".utf8))
      #expect(try await sandbox.put("/documents/a", "third").status == 200)
      #expect(try sandbox.object("a") == Data("third".utf8))
    }
  }

  @Test func servesByteRanges() async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.put("/documents/a", "0123456789").status == 200)
      for (range, piece, shown) in [
        ("0-0", "0", "bytes 0-0/10"), ("4-7", "4567", "bytes 4-7/10"), ("8-", "89", "bytes 8-9/10"),
        ("5-99", "56789", "bytes 5-9/10"), ("-3", "789", "bytes 7-9/10"), ("-99", "0123456789", "bytes 0-9/10"),
      ] {
        let answer = try await sandbox.signed("/documents/a", ["-H", "Range: bytes=\(range)"])
        #expect(answer.status == 206 && answer.body == piece, "\(range)")
        #expect(answer.headers["content-range"] == shown)
      }
      for range in ["x", "3", "7-4", "7-4x", "1-2,4-5"] {
        let answer = try await sandbox.signed("/documents/a", ["-H", "Range: bytes=\(range)"])
        #expect(answer.status == 200 && answer.body == "0123456789", "\(range)")
      }
      for range in ["10-", "99-100", "-0"] {
        #expect(try await sandbox.signed("/documents/a", ["-H", "Range: bytes=\(range)"]).status == 416, "\(range)")
      }
    }
  }

  @Test func ignoresConditionsOnDemand() async throws {
    try await withSandbox(["--ignore-conditions"]) { sandbox async throws in
      for text in ["first", "second"] {
        #expect(try await sandbox.put("/documents/a", text, ["-H", "If-None-Match: *"]).status == 200)
        #expect(try sandbox.object("a") == Data(text.utf8))
      }
    }
  }

  @Test func oneConcurrentUploadWins() async throws {
    try await withSandbox(["--latency", "upload=200ms"]) { sandbox async throws in
      let url = sandbox.url
      let file = try sandbox.file(Data("hello".utf8))
      // One curl, many transfers side by side: all are past the first look before any has ended.
      var arguments = ["--parallel", "--parallel-immediate"]
      for index in 0..<8 {
        arguments +=
          (index == 0 ? [] : ["--next", "-sS"]) + [
            "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", RunningSandbox.accessKey + ":" + RunningSandbox.secretKey,
            "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD", "-H", "If-None-Match: *", "-T", file,
          ] + (index == 7 ? [] : [url + "/documents/a"])
      }
      _ = try await sandbox.curl("/documents/a", arguments)
      let answers = try #require(try await sandbox.state()["answers"] as? [String: [String: Int]])
      #expect(answers["upload"] == ["200": 1, "412": 7])
    }
  }

  @Test(arguments: [
    ("space%20and%2Bplus", "space%20and%2Bplus"), ("a//b", "a%2F%2Fb"), ("%C3%BC%E2%82%AC", "%C3%BC%E2%82%AC"),
    (".hidden", "%2Ehidden"), ("100%25", "100%25"), ("q%3F%23%26%3D", "q%3F%23%26%3D"),
    ("quote%27%28%29%2A%21", "quote%27%28%29%2A%21"),
  ])
  func everyKeyHasOwnFile(_ path: String, _ name: String) async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.put("/documents/" + path, "hello", ["--path-as-is"]).status == 200)
      #expect(try sandbox.objects() == [name])
      #expect(try await sandbox.signed("/documents/" + path, ["--path-as-is"]).body == "hello")
      #expect(try await sandbox.signed("/documents/" + path, ["--path-as-is", "-X", "DELETE"]).status == 204)
      #expect(try sandbox.objects() == [])
    }
  }

  @Test func storesKeysUpToS3Limit() async throws {
    try await withSandbox { sandbox async throws in
      let key = String(repeating: "k", count: 1024)
      #expect(try await sandbox.put("/documents/" + key, "hello").status == 200)
      #expect(try await sandbox.put("/documents/" + key.dropLast() + "j", "hullo").status == 200)
      #expect(try await sandbox.signed("/documents/" + key).body == "hello")
      #expect(try sandbox.objects().count == 2)
      let over = try await sandbox.put("/documents/" + key + "k", "hello")
      #expect(over.status == 400)
      #expect(over.body.contains("<Code>KeyTooLongError</Code>"))
    }
  }

  @Test func reportsMissingObjectsAndBuckets() async throws {
    try await withSandbox { sandbox async throws in
      #expect(try await sandbox.signed("/documents/a", ["-I"]).status == 404)
      #expect(try await sandbox.signed("/documents/a").body.contains("<Code>NoSuchKey</Code>"))
      #expect(try await sandbox.put("/elsewhere/a", "x").body.contains("<Code>NoSuchBucket</Code>"))
      #expect(try await sandbox.signed("/documents", ["-I"]).status == 200)
      #expect(try await sandbox.signed("/documents/a", ["-X", "DELETE"]).status == 204)
      let acl = try await sandbox.signed("/documents/a?acl=", ["-X", "PUT"])
      #expect(acl.status == 501)
      #expect(acl.body.contains("<Code>NotImplemented</Code>"))
    }
  }

  @Test func objectsSurviveRestart() async throws {
    try await withSandbox { first in
      _ = try await first.put("/documents/a", "hello")
      #expect(try await first.terminate() == 0)
      let second = try await RunningSandbox(folder: first.folder)
      #expect(try await second.signed("/documents/a").body == "hello")
      #expect(try await second.terminate() == 0)
    }
  }

  @Test func servesOnlyLoopback() async throws {
    try await withSandbox { sandbox async throws in #expect(sandbox.url.hasPrefix("http://127.0.0.1:")) }
  }
}
