import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a release offers, with programs that do nothing.
@Suite(.slot, .needs(.systemd, .debhelper, .rpmbuild))
struct ReleaseArtifactsTests {
  @Test func artifactsAreReproducibleAndComplete() async throws {
    let folder = try TemporaryFolder()
    let programs = try folder.folder("programs")
    for name in ["waybilld", "waybill", "waybill-fleet", "waybill-sandbox"] {
      try FileManager.default.copyItem(atPath: "/bin/true", toPath: programs.appending(path: name).path)
    }
    var sums: [String] = []
    for mask in ["022", "077"] {
      let to = folder.url.appending(path: mask).path
      let made = try await Command.run(
        ["sh", "-c", "umask \(mask); exec \"$@\"", "sh", Products.source("scripts/release-artifacts")]
          + ["--programs", programs.path, "--to", to], environment: ["SOURCE_DATE_EPOCH": "1700000000"])
      #expect(made.status == 0, "\(made)")
      try await Command.require(["sh", "-c", "cd \"$0\" && sha256sum --check --quiet SHA256SUMS", to])
      sums.append(try String(contentsOfFile: to + "/SHA256SUMS", encoding: .utf8))
    }
    #expect(sums[0] == sums[1])
    let names = sums[0].split(separator: "\n").compactMap { $0.split(separator: " ").last }
    for (ending, count) in [(".deb", 3), (".rpm", 3), (".oci.tar", 1), (".spdx.json", 1), (".Package.resolved", 1)] {
      #expect(names.count { $0.hasSuffix(ending) } == count, "\(ending): \(names)")
    }
    let materials = try #require(names.first { $0.hasSuffix(".spdx.json") })
    let text = try String(contentsOfFile: folder.url.appending(path: "022/\(materials)").path, encoding: .utf8)
    let packages = try JSONValue(parsing: text).packages.array.compactMap(\.name.string)
    #expect(Set(packages).isSuperset(of: ["waybill", "swift", "swift-nio", "libc6", "libtomlplusplus-dev"]))
  }
}
