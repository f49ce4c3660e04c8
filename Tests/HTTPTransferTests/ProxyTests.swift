import HTTPTransfer
import LoopbackPeer
import Testing

/// Requests that name the way they take.
@Suite struct ProxyTests {
  @Test func proxyIsChosenPerRequest() async throws {
    let proxy = try LoopbackPeer { _ in .answer(200, [:], "by the proxy") }
    let server = try LoopbackPeer { _ in .answer(200, [:], "itself") }
    let transport = try Transport()
    let named = Proxy.http(proxy.url.replacing("://", with: "://us%40er:s3cret@"))
    // The same kind of request, so that one handle carries them all.
    for way in [.direct, named, nil, named, .direct] as [Proxy?] {
      let shape = RequestShape(method: "GET", proxy: way)
      let response = try await transport.send(HTTPRequest(shape, url: server.url + "/a"))
      #expect(String(decoding: response.body, as: UTF8.self) == (way == named ? "by the proxy" : "itself"))
    }
    #expect(proxy.requests.map(\.target) == [server.url + "/a", server.url + "/a"])
    #expect(proxy.requests.allSatisfy { $0["Proxy-Authorization"] == "Basic dXNAZXI6czNjcmV0" })
    #expect(server.requests.count == 3 && server.requests.allSatisfy { $0["Proxy-Authorization"] == nil })
  }

  @Test func unreachableProxyErrorHidesPassword() async throws {
    let gone = try LoopbackPeer(isListening: false) { _ in .cut }
    let proxy = Proxy.http("http://user:s3cret@127.0.0.1:\(gone.port)")
    let request = HTTPRequest(RequestShape(method: "GET", proxy: proxy), url: "http://storage.invalid/")
    let transport = try Transport()
    let error = try await failure(of: request, over: transport)
    #expect(error.words.contains("127.0.0.1") && !error.words.contains("s3cret"), "\(error.words)")
  }

  @Test(arguments: [
    (Proxy.direct, "none"), (.http("http://proxy.example.com:3128"), "http://proxy.example.com:3128"),
    (.http("http://user:pa%40ss@[::1]:3128"), "http://[secret]@[::1]:3128"),
    (.http("http://a@b@c:1"), "http://[secret]@c:1"),
  ]) func hidesProxyPassword(_ proxy: Proxy, _ shown: String) {
    #expect("\(proxy)" == shown && String(reflecting: proxy) == shown)
    var text = ""
    dump(HTTPRequest(RequestShape(method: "GET", proxy: proxy), url: "http://x/"), to: &text)
    #expect(!text.contains("pa%40ss"))
  }

  @Test func refusesProxyWithNullByte() async throws {
    let request = HTTPRequest(RequestShape(method: "GET", proxy: .http("http://a:1\0.example")), url: "http://x/")
    let transport = try Transport()
    let error = try await failure(of: request, over: transport)
    #expect(error.kind == .badRequest)
  }
}
