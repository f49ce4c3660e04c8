import ArgumentParser
import FoundationEssentials
import HTTPTypes
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
    abstract: "Serve a storage and a backend. The default command.",
    discussion: """
      Stores objects in DIR/objects and registrations as lines of DIR/registrations.jsonl. Checks signatures and \
      checksums as S3 does. POST /register registers, POST /uploads grants an upload to its storage.

      The kinds of request are upload, head, get, delete, bucket, register and grant; for multipart uploads create, \
      part, parts, complete, abort and uploads. These calls show and set faults:

        GET    /_admin/state         counts, requests, faults, uploads
        GET    /_admin/wait?kind=upload&count=2&seconds=20
                                     waits for so many requests
        GET    /_admin/objects       the stored objects
        PUT    /_admin/faults        sets kinds; null ends one
        DELETE /_admin/faults        ends all faults

        {"upload": {"statuses": [503, "cut-after", 200]},
         "register": {"status": 422, "message": "number is taken"},
         "head": null}

      In a fault, 200 and 201 are normal answers, or with code or body sent as given, without effect. A request with \
      cut-after counts, without an answer (also cut-before, cut-mid). Further keys of a fault: cut, latency_ms, \
      retry_after, code, message, body, headers, times, and hold: true (waits until the faults change).
      """)

  @Option(help: "The port on 127.0.0.1; with 0, the first line printed names it.")
  var port = 0

  @Option(help: "The folder for all data.")
  var data: String

  @Option(help: "The only bucket.")
  var bucket = "documents"

  @Option(help: "The id of the access key.")
  var accessKey = "sandbox"

  @Option(help: "Its secret.")
  var secretKey = "sandbox-secret"

  @Option(help: "The session token that requests need.")
  var sessionToken: String?

  @Option(help: "The bearer token that the backend needs.")
  var token: String?

  @Option(help: "How many seconds a granted URL is good for.")
  var grantSeconds = 900

  @Option(help: "Grant larger files in parts of so many bytes.")
  var grantPart: Int64?

  @Option(help: "The service to imitate.")
  var dialect = Dialect.aws

  @Flag(help: "Ignore If-None-Match: a PUT always replaces.")
  var ignoreConditions = false

  @Option(help: "The account that owns the bucket.")
  var bucketOwner: String?

  @Flag(help: "Refuse requests without x-amz-request-payer.")
  var requesterPays = false

  @Flag(help: "Refuse customers' keys for encryption (SSE-C).")
  var blockCustomerKeys = false

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("a port is 0 to 65535") }
    guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isBucketByte),
      !["register", "uploads"].contains(bucket)
    else {
      throw ValidationError("a bucket's name is 3 to 63 of a-z, 0-9, - and ., and not \"register\" or \"uploads\"")
    }
    guard (1...604_800).contains(grantSeconds), (grantPart ?? 1) > 0 else {
      throw ValidationError("a granted URL is good for 1 to 604800 seconds, and a part has 1 byte or more")
    }
    guard !accessKey.isEmpty, !secretKey.isEmpty else { throw ValidationError("access key and secret cannot be empty") }
  }

  func run() async throws {
    // One thread for all blocking work: calls never hold up the runtime's threads, and no call runs between another's steps.
    let disk = NIOThreadPool(numberOfThreads: 1)
    disk.start()
    let folder = try ObjectFolder(data: FilePath(data), thread: disk)
    let uploads = try UploadFolder(data: FilePath(data), objects: folder, thread: disk)
    let lines = try RegistrationLines(path: FilePath(data).appending("registrations.jsonl"), thread: disk)
    let observations = Observations()
    let now: @Sendable () -> Date = { Date() }
    var dialect = dialect
    if ignoreConditions { (dialect.conditions.put, dialect.conditions.complete) = (.ignored, .ignored) }
    let signature = SignatureCheck(accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken)
    let responder = SandboxResponder(
      storage: StorageSide(
        bucket: bucket, folder: folder,
        parts: PartsSide(bucket: bucket, folder: uploads, dialect: dialect, now: now), dialect: dialect,
        rules: BucketRules(
          owner: bucketOwner, requesterPays: requesterPays, blocksCustomerKeys: blockCustomerKeys),
        signature: signature, now: now),
      backend: BackendSide(
        token: token, lines: lines,
        grants: UploadGrants(
          bucket: bucket, uploads: uploads, signature: signature, seconds: grantSeconds, part: grantPart), now: now),
      admin: AdminSide(observations: observations, folder: folder, uploads: uploads, lines: lines),
      observations: observations)
    var logger = Logger(label: "waybill-sandbox")
    logger.logLevel = .error
    let server = try HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(additionalChannelHandlers: [ContinueHandler()])
    ).buildServer(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        var response = try await responder.answer(to: request, on: channel)
        response.headers[.date] = BasicTime.header(now())
        try await writer.write(response: response.head, body: response.body)
      }, onServerRunning: Self.announce)
    var group = ServiceGroupConfiguration(
      services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
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
