import Credentials
import Jobs

/// Keys of an S3 storage that were found on this machine, with what was written beside them.
struct FoundKeys: Hashable {
  /// The tool or place that has them.
  enum Source: Hashable {
    case environment
    case aws(profile: String)
    case rclone(remote: String)
    case s3cfg
  }

  let source: Source
  /// The file, or nothing for the environment.
  let file: String?
  let access: Secret
  let secret: Secret
  var token: Secret?
  var endpoint: String?
  var region: String?

  /// The keys in a line that may be seen by others: four characters of the id, and nothing of the secret.
  var shown: String {
    let id = DisplayText.escape(String(access.text.prefix(4)))
    return "\(id)… from \(DisplayText.escape(place))" + (token == nil ? "" : " (temporary)")
  }

  private var place: String {
    let file = file ?? ""
    return switch source {
    case .environment: "the environment (AWS_ACCESS_KEY_ID)"
    case .aws(let profile): "\(file), profile \(profile)"
    case .rclone(let remote): "\(file), remote \(remote)"
    case .s3cfg: file
    }
  }

  /// The word by which an option means these keys.
  var word: String {
    switch source {
    case .environment: "env"
    case .aws(let profile): "aws:" + profile
    case .rclone(let remote): "rclone:" + remote
    case .s3cfg: "s3cfg"
    }
  }

  /// True if an option's word means these keys: ``word``, or `aws` for the profile that AWS's tools use by default.
  func isMeant(by word: String) -> Bool { word == self.word || word == "aws" && source == .aws(profile: "default") }
}
