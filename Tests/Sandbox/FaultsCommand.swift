import ArgumentParser
import FoundationEssentials
import NIOCore
import NIOPosix
import SystemPackage

struct FaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "Set or end the faults of a sandbox that runs.",
    discussion: """
      With JSON it changes the kinds named there, without it ends all faults. URL is the printed address. The output \
      is the faults in force.

        waybill-sandbox faults http://127.0.0.1:9100 \\
          '{"upload": {"statuses": [503]}}'
      """)

  @Argument(help: "The address of the sandbox: http://127.0.0.1:PORT.") var url: String
  @Argument(help: "The faults, as the body of PUT /_admin/faults.") var json: String?

  func validate() throws {
    guard port != nil else { throw ValidationError("an address is http://127.0.0.1:PORT") }
  }

  private var port: Int? {
    let words = url.hasSuffix("/") ? url.dropLast() : url[...]
    guard words.hasPrefix("http://127.0.0.1:") else { return nil }
    return Int(words.dropFirst("http://127.0.0.1:".utf8.count)).flatMap { (1...65535).contains($0) ? $0 : nil }
  }

  func run() async throws {
    guard let port else { return }
    let answer: [UInt8]
    do {
      answer = try await call(port)
    } catch {
      throw try failure("nobody answers at \(url)", ExitCode(69))
    }
    let text = String(decoding: answer, as: UTF8.self)
    // JSON of one line, which ends the answer.
    let body = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? "no answer"
    guard text.hasPrefix("HTTP/1.1 200") else {
      throw try failure("the sandbox refuses the faults: \(body)", ExitCode(65))
    }
    try SystemPackage.FileDescriptor.standardOutput.writeAll(Array((body + "\n").utf8))
  }

  private func call(_ port: Int) async throws -> [UInt8] {
    let body = json ?? ""
    let request = """
      \(json == nil ? "DELETE" : "PUT") /_admin/faults HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Connection: close\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(.seconds(10))
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { incoming, outgoing in
      try await outgoing.write(ByteBuffer(string: request))
      var answer: [UInt8] = []
      for try await part in incoming { answer += part.readableBytesView }
      return answer
    }
  }

  private func failure(_ words: String, _ status: ExitCode) throws -> ExitCode {
    try SystemPackage.FileDescriptor.standardError.writeAll(Array("waybill-sandbox: \(words)\n".utf8))
    return status
  }
}
