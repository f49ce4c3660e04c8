import ArgumentParser
import FoundationEssentials
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SystemPackage
import UnixSignals

/// The command line of the sandbox.
@main
struct SandboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waybill-sandbox",
    abstract:
      "An S3 endpoint and an HTTP backend on the loopback, for trying Waybill and for tests. Not for real files.",
    discussion: """
      It keeps objects as files under DIR/objects and registrations as lines of DIR/registrations.jsonl, checks \
      signatures and hashes as S3 does, and fails on demand. It makes nothing safe: no fsync, no access control but \
      one key, no TLS.

      Kinds of request: upload (PUT of an object), head, get, delete, bucket, register; of uploads in parts create, \
      part, parts (to list them), complete, abort, uploads (to list those).

        --fault upload=503           every upload is answered 503
        --fault upload=503,503,200   two uploads are, the third goes through,
                                     and then nothing more happens
        --fault register=cut-after   registrations count, but the connection
                                     is cut instead of an answer; cut-before:
                                     they don't count; cut-mid: half an answer
        --latency upload=20ms        each upload waits first

      200 and 201 in a fault mean that the sandbox behaves; with code or body they are sent as they are, without acting.

      While it runs, faults are set and looked at by these calls:

        GET    /_admin/state         counts, last requests, faults in force,
                                     uploads in parts that are under way
        GET    /_admin/objects       what is stored
        PUT    /_admin/faults        kinds that are named change; null ends one
        DELETE /_admin/faults        everything behaves again

        {"upload": {"statuses": [503, "cut-after", 200]},
         "register": {"status": 422, "message": "number is taken"},
         "head": null}

      Further keys of a fault: cut, latency_ms, retry_after, code, message, body, headers, times.
      """)

  @Option(help: "The port on 127.0.0.1; 0 picks a free one. The first line printed says which.")
  var port = 0

  @Option(help: "The folder for objects and registrations; made where it is missing.")
  var data: String

  @Option(help: "The one bucket.")
  var bucket = "documents"

  @Option(help: "The access key that requests have to be signed with.")
  var accessKey = "sandbox"

  @Option(help: "Its secret.")
  var secretKey = "sandbox-secret"

  @Option(help: "The session token that has to come with it; without one the key is a lasting one.")
  var sessionToken: String?

  @Option(help: "The bearer token that registrations have to carry; without it none is asked for.")
  var token: String?

  @Option(name: .customLong("fault"), help: "What a kind of request meets, as above. May be repeated.")
  var faults: [String] = []

  @Option(name: .customLong("latency"), help: "How long a kind of request waits, as above. May be repeated.")
  var latencies: [String] = []

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("a port is 0 to 65535") }
    guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte), bucket != "register" else {
      throw ValidationError("a bucket's name is 3 to 63 of a-z, 0-9, - and . and is not \"register\"")
    }
    guard !accessKey.isEmpty, !secretKey.isEmpty else { throw ValidationError("access key and secret cannot be empty") }
    do {
      _ = try FaultArguments.plan(faults: faults, latencies: latencies)
    } catch {
      throw ValidationError(error.description)
    }
  }

  func run() async throws {
    // One thread for all blocking work: calls never hold up the runtime's threads, and no call runs between another's steps.
    let disk = NIOThreadPool(numberOfThreads: 1)
    disk.start()
    let folder = try ObjectFolder(data: FilePath(data), thread: disk)
    let uploads = try UploadFolder(data: FilePath(data), objects: folder, thread: disk)
    let lines = try RegistrationLines(path: FilePath(data).appending("registrations.jsonl"), thread: disk)
    let observations = Observations(faults: try FaultArguments.plan(faults: faults, latencies: latencies))
    let now: @Sendable () -> Date = { Date() }
    let responder = SandboxResponder(
      storage: StorageSide(
        bucket: bucket, folder: folder, parts: PartsSide(bucket: bucket, folder: uploads, now: now),
        signature: SignatureCheck(accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken), now: now),
      backend: BackendSide(token: token, lines: lines, now: now),
      admin: AdminSide(observations: observations, folder: folder, uploads: uploads, lines: lines),
      observations: observations, now: now)
    var logger = Logger(label: "waybill-sandbox")
    logger.logLevel = .error
    let application = Application(
      responder: responder,
      server: .http1(configuration: HTTP1Channel.Configuration(additionalChannelHandlers: [ContinueHandler()])),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: Self.announce, logger: logger)
    var group = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = .seconds(2)
    try await ServiceGroup(configuration: group).run()
  }

  private static func announce(_ channel: any Channel) async {
    // Not print: its buffer would hold back the line from a pipe.
    do {
      try SystemPackage.FileDescriptor.standardError.writeAll(
        Array("waybill-sandbox is for trying and for tests: keep nothing here that you need\n".utf8))
      let port = channel.localAddress?.port ?? 0
      try SystemPackage.FileDescriptor.standardOutput.writeAll(Array("listening on http://127.0.0.1:\(port)\n".utf8))
    } catch {
      // Ignored: nobody reads the line, and the sandbox still serves.
    }
  }

  private static func isBucketByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
