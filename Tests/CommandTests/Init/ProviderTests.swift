import ChildProcesses
import Foundation
import Testing

@testable import waybill

/// The services that `waybill init` knows, compared with the page about them.
@Suite struct ProviderTests {
  /// The cells of the page's table.
  private static func rows() throws -> [[String]] {
    let page = try String(contentsOfFile: Products.source("docs/storages.md"), encoding: .utf8)
    return page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The words of a cell in back quotes.
  private static func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  @Test func rowsMatchStoragesPage() throws {
    let rows = try Self.rows()
    #expect(rows.map(\.[0]) == Provider.all.map(\.name))
    for (row, provider) in zip(rows, Provider.all) {
      let (address, region) = try #require(
        row[1].split(separator: ";", maxSplits: 1).map { String($0) + "" }.first.map {
          ($0, row[1].dropFirst($0.count))
        })
      switch provider.endpoint {
      case .fixed(let url), .pattern(let url, _): #expect(Self.quoted(address) == [url], "\(provider.name)")
      case .own: #expect(address.hasPrefix("your"), "\(provider.name)")
      }
      switch provider.region {
      case .inEndpoint: #expect(region.contains("region") || region.contains("location"), "\(provider.name)")
      case .fixed(let name): #expect(Self.quoted(String(region)) == [name], "\(provider.name)")
      case .any(let name):
        #expect(Self.quoted(String(region)) == (name == "us-east-1" ? [] : [name]), "\(provider.name)")
      }
      for setting in provider.settings {
        #expect(Self.quoted(row[2]).contains("\(setting.key) = \(setting.value)"), "\(provider.name)")
      }
    }
  }

  @Test func addressTellsServiceAndRegion() {
    for (address, name, region) in [
      ("https://s3.eu-central-1.amazonaws.com", "AWS S3", "eu-central-1"),
      ("s3.eu-central-003.backblazeb2.com/", "Backblaze B2", "eu-central-003"),
      ("https://0123abcd.r2.cloudflarestorage.com", "Cloudflare R2", "auto"),
      ("https://fsn1.your-objectstorage.com", "Hetzner", "fsn1"),
      ("https://gateway.storjshare.io", "Storj", "us-east-1"),
    ] {
      let found = Provider.at(address)
      #expect(found?.provider.name == name && found?.region == region, "\(address)")
    }
    for address in ["http://127.0.0.1:9000", "https://s3.amazonaws.com", "https://s3.a/b.amazonaws.com", ""] {
      #expect(Provider.at(address) == nil, "\(address)")
    }
  }

  @Test func namesMeanServices() {
    for (word, name) in [
      ("aws", "AWS S3"), ("R2", "Cloudflare R2"), ("minio", "MinIO"), ("ceph", "Ceph (RADOS gateway)"),
      ("swift", "OpenStack Swift (s3api)"), ("other", "another server"), ("storj", "Storj"),
    ] { #expect(Provider.named(word)?.name == name, "\(word)") }
    #expect(Provider.named("nobody") == nil)
  }
}
