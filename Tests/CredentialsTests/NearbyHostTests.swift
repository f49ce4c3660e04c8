import Testing

@testable import Credentials

@Suite struct NearbyHostTests {
  @Test(arguments: [
    "http://127.0.0.1", "http://127.255.0.1:80/x", "https://localhost:1338/c", "HTTP://LOCALHOST/", "http://[::1]:80",
    "http://[0:0:0:0:0:0:0:1]", "http://127.0.0.1?x", "http://127.0.0.1#x",
  ]) func recognizesLoopbackHosts(_ url: String) { #expect(NearbyHost(url)?.isLoopback == true) }

  @Test(arguments: [
    "http://169.254.169.254", "http://169.254.170.2/v2/credentials/x", "http://169.254.170.23/v1/credentials",
    "http://[fd00:ec2::254]", "http://[fd00:ec2::23]/v1", "http://[FE80::1%25eth0]/", "http://[febf::1]",
  ]) func recognizesLinkLocalAndMetadataHosts(_ url: String) { #expect(NearbyHost(url)?.isLoopback == false) }

  @Test(arguments: [
    "http://169.254.169.254.example.com", "http://127.0.0.1@example.com", "http://user@127.0.0.1",
    "http://127.0.0.example", "http://127.0.0", "http://example.com/127.0.0.1", "http://[fec0::1]",
    "http://[fd00:ec3::1]",
    "http://[::2]", "http://[1::1]", "http://[]", "http://", "169.254.169.254", "", "http://10.0.0.1",
    "http://localhost.example.com",
  ]) func rejectsDistantHosts(_ url: String) { #expect(NearbyHost(url) == nil) }
}
