import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Linux
import ObjectStorage
import Settings
import Spool

extension SetupRunner {
  /// One destination, as a probe found it.
  private struct Tried: Sendable {
    var destination: Destination
    var findings: [ProbeFinding]
  }

  /// Tries the configuration before it is written. Settings that fit the storage better are put into it, once a second probe has found
  /// no fault with them.
  mutating func probe() async throws {
    let proxies = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    if place.unit != nil, let proxy = proxies.first(where: { environment[$0]?.isEmpty == false }) {
      Self.remark("\(proxy) of this shell counts for this trial, and not for the service: see proxy in waybill.toml(5)")
    }
    Self.remark("trying the storage and the backend …")
    var tried = try await probe(plan.text, storagesOnly: false)
    if var answers, let storage = tried.first(where: { $0.destination.kind == .storage }) {
      let changes = FittingSettings.chosen(of: storage.findings)
      if !changes.isEmpty {
        var changed = plan
        let settings = changes.map { StorageSetting(key: $0.key, value: $0.value) }
        changed.apply(settings, to: &answers, at: place)
        Self.remark("once more, with \(changes.map(\.line).joined(separator: ", ")) …")
        let again = try await probe(changed.text, storagesOnly: true)
        if !Self.hasFault(again) {
          (plan, self.answers) = (changed, answers)
          for change in changes {
            Self.remark("\(change.line), because the storage \(DisplayText.escape(change.reason))")
          }
          tried = again + tried.filter { $0.destination != storage.destination }
        }
      }
    }
    guard Self.hasFault(tried) else { return }
    let words = "the storage or the backend does not work with these answers"
    guard let choose else {
      takeBackKeys()
      throw CommandFailure(status: .configuration, words: words)
    }
    while true {
      switch try await choose("Change the answers (c), go on all the same (g), or stop (s)? [c] ").lowercased() {
      case "g": return
      case "s":
        takeBackKeys()
        throw CommandFailure(status: .configuration, words: words)
      case "", "c":
        takeBackKeys()
        throw End.changeAnswers
      default: continue
      }
    }
  }

  private static func hasFault(_ tried: [Tried]) -> Bool {
    tried.contains { $0.findings.contains { $0.weight == .fault } }
  }

  private func probe(_ text: String, storagesOnly: Bool) async throws -> [Tried] {
    // The service has neither the keys nor the home of who runs this.
    let environment = environment.filter {
      $0.key != "HOME" && !$0.key.hasPrefix("AWS_") && !$0.key.hasPrefix("WAYBILL_")
    }
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(
        path: place.configuration, environment: environment, replacing: [place.configuration: Array(text.utf8)])
    } catch {
      throw CommandFailure(status: .configuration, words: error.description)
    }
    let storages = storagesOnly ? Set(configuration.storages.keys) : nil
    return try await interruptible {
      var tried: [Tried] = []
      try await Probe(configuration, environment: environment).run(
        version: WaybillVersion.current, storages: storages
      ) { destination, findings in
        for finding in findings {
          Self.remark("\(finding.weight.mark) \(destination.text) \(DisplayText.escape(finding.words))")
        }
        tried.append(Tried(destination: destination, findings: findings))
      }
      return tried
    }
  }

  /// Removes the key files that this run has made, so that another run can write other keys.
  private mutating func takeBackKeys() {
    for path in madeKeys {
      do throws(FileError) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        try Directory(path: String(path[...slash])).remove(Array(path[path.index(after: slash)...].utf8))
        Self.show(["rm \(DirectoryRecipe.quoted(path))"])
        undone += plan.steps.filter { if case .keyFile(path, _, _) = $0 { true } else { false } }
      } catch {
        Output.error(error.words)
      }
    }
    madeKeys = []
  }
}
