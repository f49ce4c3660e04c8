import ArgumentParser
import ControlAPI
import FoundationEssentials
import HTTPTransfer

/// The help of options that most commands have. In --help they take one line, that of --socket; waybill(1) describes them once.
enum CommonHelp {
  private static let isAsked = {
    let arguments = CommandLine.arguments.dropFirst()
    return arguments.first == "help" || arguments.contains("--help") || arguments.contains("-h")
  }()

  static var socket: ArgumentHelp {
    let words =
      isAsked
      ? "The control socket. Also: --instance, --utc."
      : "The daemon's control socket. Default: $WAYBILL_SOCKET, else /run/waybill/control.sock."
    return ArgumentHelp("\(words)", valueName: "path")
  }

  static var instance: ArgumentHelp {
    ArgumentHelp(
      "The instance NAME. Its socket is /run/waybill-NAME/control.sock.", valueName: "name", visibility: visibility)
  }

  static var utc: ArgumentHelp {
    ArgumentHelp(
      "Show times in UTC, and read dates as such. Times are local at a terminal, and in UTC elsewhere.",
      visibility: visibility)
  }

  static var json: ArgumentHelp { "The answer as JSON." }

  /// Completions and the manual have them all.
  private static var visibility: ArgumentVisibility { isAsked ? .hidden : .default }
}

/// The options that select the daemon.
struct ConnectionOptions: ParsableArguments {
  @Option(help: CommonHelp.socket, completion: .file()) var socket: String?
  @Option(help: CommonHelp.instance) var instance: String?
  @Flag(help: CommonHelp.utc) var utc = false

  func validate() throws {
    guard socket == nil || instance == nil else {
      throw ValidationError("--socket and --instance cannot be used together.")
    }
    guard socket != "" else { throw ValidationError("--socket needs a path.") }
    try Self.validate(instance: instance)
  }

  /// Throws for a name that no instance can have.
  static func validate(instance: String?) throws {
    if let instance, instance.isEmpty || instance.contains("/") {
      throw ValidationError("--instance needs the name of an instance.")
    }
    // Their directories are those that an instance of the name would have (waybill@.service).
    if let instance, ["fleet", "fleet-web", "page"].contains(instance) {
      throw ValidationError(
        "No instance is named \(instance): waybill-\(instance).service has that name. Choose another one for the instance."
      )
    }
  }

  /// Returns a client of that daemon for this number of calls at a time.
  func client(calls: Int = 1) throws -> ControlClient {
    do {
      return ControlClient(
        socket: path(ProcessInfo.processInfo.environment), transport: try Transport(maxConnections: calls))
    } catch {
      throw CommandFailure(status: .unavailable, words: error.words)
    }
  }

  /// The path of its socket.
  func path(_ environment: [String: String]) -> String {
    if let socket { return socket }
    if let instance { return "/run/waybill-\(instance)/control.sock" }
    if let socket = environment["WAYBILL_SOCKET"], !socket.isEmpty { return socket }
    return "/run/waybill/control.sock"
  }
}

/// Makes a call, and turns its failure into that of the command.
func calling<Answer>(_ call: () async throws(ControlError) -> Answer) async throws(CommandFailure) -> Answer {
  do {
    return try await call()
  } catch {
    throw CommandFailure(error)
  }
}
