import ArgumentParser
import ControlAPI
import FoundationEssentials
import HTTPTransfer

struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The daemon's control socket. Default: $WAYBILL_SOCKET, else /run/waybill/control.sock.", valueName: "path"),
    completion: .file())
  var socket: String?
  @Option(help: ArgumentHelp("The instance NAME. Its socket is /run/waybill-NAME/control.sock.", valueName: "name"))
  var instance: String?

  func validate() throws {
    guard socket == nil || instance == nil else {
      throw ValidationError("--socket and --instance cannot be used together.")
    }
    guard socket != "" else { throw ValidationError("--socket needs a path.") }
    try Self.validate(instance: instance)
  }

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

  func client(calls: Int = 1) throws -> ControlClient {
    ControlClient(socket: path(ProcessInfo.processInfo.environment), transport: try Transport(maxConnections: calls))
  }

  func path(_ environment: [String: String]) -> String {
    if let socket { return socket }
    if let instance { return "/run/waybill-\(instance)/control.sock" }
    if let socket = environment["WAYBILL_SOCKET"], !socket.isEmpty { return socket }
    return "/run/waybill/control.sock"
  }
}
