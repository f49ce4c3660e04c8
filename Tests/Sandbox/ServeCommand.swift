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

/// `waybill-sandbox serve`, which is also what the program does without a command.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a storage and a backend. This is what the program does without a command.",
    discussion: """
      It stores objects as files under DIR/objects and registrations as lines of DIR/registrations.jsonl. It checks \
      signatures, hashes and checksums as S3 does, and fails on demand. It protects \
      nothing: no fsync, no TLS, and one key as its only access control.

      The kinds of request are upload (PUT of an object), head, get, delete, bucket and register. For multipart \
      uploads they are create, part, parts (lists the parts), complete, abort and uploads (lists the uploads).

        --fault upload=503           every upload is answered with 503
        --fault upload=503,503,200   the first two uploads are answered with
                                     503, the third succeeds; then the fault
                                     is over
        --fault register=cut-after   the registration counts, but the
                                     connection is cut instead of an answer;
                                     cut-before: it does not count;
                                     cut-mid: half an answer is sent
        --latency upload=20ms        each upload waits this long first

      In a fault, 200 and 201 mean that the sandbox answers normally. With code or body they are sent as given, and \
      the request has no effect.

      While it runs, these calls show and set the faults:

        GET    /_admin/state         counts, last requests, active faults,
                                     unfinished multipart uploads
        GET    /_admin/wait?kind=upload&count=2
                                     waits until so many requests of that
                                     kind have come, at most 20 seconds or
                                     as many as seconds= says; the answer
                                     says how many came
        GET    /_admin/objects       the stored objects
        PUT    /_admin/faults        changes the kinds named; null ends one
        DELETE /_admin/faults        ends all faults

        {"upload": {"statuses": [503, "cut-after", 200]},
         "register": {"status": 422, "message": "number is taken"},
         "head": null}

      Further keys of a fault: cut, latency_ms, retry_after, code, message, body, headers, times, \
      and hold: true, with which a request waits until the faults are changed.
      """)

  @Option(help: "The port on 127.0.0.1; 0 picks a free port. The first line printed names the port.")
  var port = 0

  @Option(help: "The folder for objects and registrations. It is created if it is missing.")
  var data: String

  @Option(help: "The name of the only bucket.")
  var bucket = "documents"

  @Option(help: "The id of the access key that requests must be signed with.")
  var accessKey = "sandbox"

  @Option(help: "The secret of the access key.")
  var secretKey = "sandbox-secret"

  @Option(help: "The session token that must come with the key. Without it the key is permanent.")
  var sessionToken: String?

  @Option(help: "The bearer token that registrations must carry. Without it no token is needed.")
  var token: String?

  @Option(help: "The service that it is like in what it supports, refuses and answers.")
  var dialect = Dialect.aws

  @Flag(help: "Ignores If-None-Match, as some storages do: a PUT always replaces.")
  var ignoreConditions = false

  @Option(
    help: ArgumentHelp(
      "The days after which the bucket's rule for unfinished uploads ends them, as ?lifecycle shows it; 0: no rule.",
      valueName: "days"))
  var lifecycle = 7

  @Option(help: "The account that owns the bucket. A request that expects another owner is refused.")
  var bucketOwner: String?

  @Flag(help: "The bucket's readers pay: a request without x-amz-request-payer is refused.")
  var requesterPays = false

  @Flag(help: "Refuses customers' keys for encryption (SSE-C), as new buckets of AWS do by default since April 2026.")
  var blockCustomerKeys = false

  @Option(name: .customLong("fault"), help: "The answers to a kind of request, as above. May be repeated.")
  var faults: [String] = []

  @Option(name: .customLong("latency"), help: "The delay of a kind of request, as above. May be repeated.")
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
    var dialect = dialect
    if ignoreConditions { (dialect.conditions.put, dialect.conditions.complete) = (.ignored, .ignored) }
    let responder = SandboxResponder(
      storage: StorageSide(
        bucket: bucket, folder: folder,
        parts: PartsSide(bucket: bucket, folder: uploads, dialect: dialect, now: now), dialect: dialect,
        lifecycleDays: lifecycle > 0 ? lifecycle : nil,
        rules: BucketRules(
          owner: bucketOwner, requesterPays: requesterPays, blocksCustomerKeys: blockCustomerKeys),
        signature: SignatureCheck(accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken), now: now),
      backend: BackendSide(token: token, lines: lines, now: now),
      admin: AdminSide(observations: observations, folder: folder, uploads: uploads, lines: lines),
      observations: observations)
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
