import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// Takes every request: applies its fault, or hands it to the side that serves it.
struct SandboxResponder: Sendable {
  let storage: StorageSide
  let backend: BackendSide
  let admin: AdminSide
  let observations: Observations

  /// Answers a request.
  /// - Throws: only what is no HTTP. A fault of the sandbox is an answer with 500.
  func answer(to request: Request, on channel: any Channel) async throws -> Response {
    do {
      return try await respond(to: request, context: SandboxContext(channel: channel))
    } catch let error as HTTPParserError {
      throw error
    } catch {
      return Response(status: .internalServerError)
    }
  }

  private func respond(to request: Request, context: SandboxContext) async throws -> Response {
    if Self.path(of: request).hasPrefix("/_admin/") { return await admin.respond(to: request) }
    let kind = kind(of: request)
    // An invalid path is refused later.
    let part = kind == .part ? try? ObjectTarget(StorageSide.target(of: request, bucket: storage.bucket)) : nil
    let (number, effect, plan) = await observations.begin(request.head, kind, part: part)
    do {
      if effect.holds { await observations.hold(since: plan) }
      let response = try await meet(effect, request, kind, context)
      await observations.end(number, kind, status: response?.status.code, cut: effect.cut)
      guard let response else {
        await context.cut()
        return Response(status: .internalServerError)  // nobody hears it: the connection is gone
      }
      return response
    } catch {
      await observations.end(number, kind, status: nil, cut: .before)
      throw error
    }
  }

  /// The answer after the fault; nil if the connection is to be cut without an answer.
  private func meet(
    _ effect: Effect, _ request: Request, _ kind: RequestKind, _ context: SandboxContext
  ) async throws -> Response? {
    if effect.latency > .zero { try await Task.sleep(for: effect.latency) }
    if effect.cut == .before { return nil }
    let response: Response
    let isForBackend = kind == .register || kind == .grant
    if let status = effect.status {
      response = isForBackend ? backend.fault(status, effect) : storageFault(status, effect, request)
    } else if isForBackend {
      response = try await backend.respond(to: request, kind)
    } else {
      response = try await storageAnswer(request, context)
    }
    switch effect.cut {
    case .after: return nil
    case .mid where request.method == .head: return nil
    case .mid: return response.cutInTheMiddle(by: context)
    default: return response
    }
  }

  private func storageAnswer(_ request: Request, _ context: SandboxContext) async throws -> Response {
    do {
      var response = try await storage.respond(to: request)
      response.headers.add("x-amz-request-id", context.id)
      return response
    } catch let error as StorageError {
      return Self.response(error, request, requestID: context.id)
    }
  }

  private func storageFault(_ status: Int, _ effect: Effect, _ request: Request) -> Response {
    let error = StorageError.fault(status, code: effect.code, message: effect.message)
    var response = Self.response(error, request, requestID: "fault")
    if let body = effect.body, request.method != .head {
      response.body = ResponseBody(byteBuffer: ByteBuffer(string: body))
    }
    response.add(effect)
    return response
  }

  private static func response(_ error: StorageError, _ request: Request, requestID: String) -> Response {
    let response = Response(
      status: HTTPResponse.Status(code: error.status),
      headers: HTTPFields(["content-type": "application/xml", "x-amz-request-id": requestID]),
      body: ResponseBody(byteBuffer: ByteBuffer(string: error.xml(resource: path(of: request), requestID: requestID))))
    return request.method == .head || error.status == 204 || error.status == 304
      ? response.createHeadResponse() : response
  }

  private func kind(of request: Request) -> RequestKind {
    if Self.path(of: request) == BackendSide.path { return .register }
    if Self.path(of: request) == UploadGrants.path { return .grant }
    let target = StorageSide.target(of: request, bucket: storage.bucket)
    let path = target[..<(target.firstIndex(of: "?") ?? target.endIndex)]
    let isObject = !path.drop { $0 == "/" }.drop { $0 != "/" }.dropFirst().isEmpty
    let names = target[path.endIndex...].dropFirst().split(separator: "&").map { $0.prefix { $0 != "=" } }
    let isOfUpload = names.contains("uploadId")
    return switch (request.method, isObject) {
    case (.post, true) where names.contains("uploads"): .create
    case (.put, true) where isOfUpload: .part
    case (.get, true) where isOfUpload: .parts
    case (.post, true) where isOfUpload: .complete
    case (.delete, true) where isOfUpload: .abort
    case (.get, false) where names.contains("uploads"): .uploads
    case (.put, true): .upload
    case (.head, true): .head
    case (.get, true): .get
    case (.delete, true): .delete
    case (.get, false), (.head, false): .bucket
    default: .other
    }
  }

  private static func path(of request: Request) -> String {
    let target = request.head.path ?? "/"
    return String(target[..<(target.firstIndex(of: "?") ?? target.endIndex)])
  }
}

extension Response {
  mutating func add(_ effect: Effect) {
    if let seconds = effect.retryAfter { headers.add("retry-after", String(seconds)) }
    for (name, value) in effect.headers { headers[name] = value }
  }
}
