import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import HTTPTransfer
import Jobs

extension CompletionKind {
  /// The daemon's spools.
  static var spools: CompletionKind {
    .custom { words, _, _ async in
      // bash expands the words that it is given: a name with characters that are special to a shell is not offered.
      await Asked.client(words) { client in
        try await client.status().spools.map(\.name).filter { name in
          name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        }
      }
    }
  }

  /// The jobs that a person may want to act on.
  static var openJobs: CompletionKind {
    .custom { words, _, _ async in
      await Asked.client(words) { client in
        var filter = JobFilter()
        filter.states = [.awaitingConfirmation, .aborted, .cancelled]
        return try await client.jobs(ListQuery(filter: filter, limit: 200)).jobs.map { String($0.job) }
      }
    }
  }

  /// The states, one at a time.
  static var states: CompletionKind { .list(JobState.known) }
}

/// Asks a daemon while somebody types a command line: it has to answer soon, or not at all.
private enum Asked {
  static func client(
    _ words: [String], _ ask: (ControlClient) async throws -> [String]
  ) async -> [String] {
    // Ignored: if nobody answers, there is nothing to offer, and no place to say why.
    guard let transport = try? Transport(maxConnections: 1) else { return [] }
    let client = ControlClient(socket: socket(words), transport: transport, patience: .seconds(1))
    return (try? await ask(client)) ?? []
  }

  /// Returns the socket that the words typed so far select.
  private static func socket(_ words: [String]) -> String {
    var options = ConnectionOptions()
    options.socket = value(of: "--socket", words)
    options.instance = value(of: "--instance", words)
    return options.path(ProcessInfo.processInfo.environment)
  }

  private static func value(of option: String, _ words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }
}
