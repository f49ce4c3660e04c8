import CommandParts
import Credentials
import Jobs
import ObjectStorage
import Registration
import Settings

/// Tells where the keys, tokens and secrets of a configuration come from. No secret is shown.
enum KeySources {
  /// Returns a finding for each of them, by destination. Nothing is fetched.
  static func findings(
    _ configuration: Configuration, environment: [String: String]
  ) -> [(destination: Destination, finding: ProbeFinding)] {
    let readers = CredentialReaders { source, form in
      CredentialReader(source, form: form, environment: environment)
    }
    let storages = configuration.storages.sorted { $0.key < $1.key }.map { name, settings in
      (Destination.storage(name), S3Bucket.credentials(of: settings, readers))
    }
    let backends = configuration.backends.sorted { $0.key < $1.key }.map { name, settings in
      (Destination.backend(name), Backend.credentials(of: settings, readers))
    }
    return (storages + backends).flatMap { destination, credentials in
      credentials.map { (destination, ProbeFinding(.fits, words($0))) }
    }
  }

  private static func words(_ credential: NamedCredential) -> String {
    let source = credential.reader.source
    let isReadable = credential.isShown && !source.isFetched && credential.reader.canBeRead
    // Ignored: reading the configuration has said which keys cannot be read.
    let id = isReadable ? (try? credential.reader.read()).map { " \($0.text)" } ?? "" : ""
    let change = source.changesWhileRunning ? "" : ", and a change of it takes effect after a restart"
    return "has \(credential.key)\(id) from \(source)\(change)"
  }
}
