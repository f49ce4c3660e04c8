import Testing
import WebPages

struct HostNamesTests {
  @Test(arguments: [
    (nil, true, true), ("", true, true), ("localhost", true, true), ("LOCALHOST:1", true, true),
    ("localhost.", true, true),
    ("127.0.0.1", true, true), ("127.1.2.3:65535", true, true), ("[::1]", true, true), ("[::1]:80", true, true),
    ("[0:0:0:0:0:0:0:1]", true, true), ("10.0.0.1", false, true), ("10.0.0.1:9464", false, true),
    ("[fe80::1]:1", false, true),
    ("[1::]", false, true), ("0.0.0.0", false, true), ("evil.example", false, false), ("evil.example:80", false, false),
    ("localhost.evil.example", false, false), ("127.0.0.1.evil.example", false, false),
    ("evil.example.localhost", false, false),
    ("localhost:80@evil.example", false, false), ("localhost:", true, true), ("localhost:x", false, false),
    ("[::1", false, false),
    ("[::1]x", false, false), ("[evil.example]", false, false), ("127.0.0.1 evil.example", false, false),
    (":80", false, false),
    ("127.1", false, false), ("2130706433", false, false), ("service", false, true), ("Way_bill-1:9464", false, true),
    ("[::1].evil.example", false, false), ("0x7f.evil.example", false, false), ("way@bill", false, false),
    ("wäybill", false, false), ("service.", false, true),
  ]) func refusesForeignHostNames(_ authority: String?, _ byLoopback: Bool, _ byAll: Bool) {
    #expect(HostNames(.loopback).allow(authority) == byLoopback)
    #expect(HostNames(.all).allow(authority) == byAll)
  }

  @Test func configuredNamesIgnoreCase() {
    let names: Set<String> = ["prometheus.example"]
    for host in ["prometheus.example", "Prometheus.Example:9464", "prometheus.example."] {
      #expect(HostNames(.all).allow(host, names: names), "\(host)")
    }
    for host in ["a.prometheus.example", "prometheus.example.evil"] {
      #expect(!HostNames(.all).allow(host, names: names), "\(host)")
    }
  }
}
