import Credentials

/// A profile is had whole or not at all.
enum ProfileInput {
  static func take(_ bytes: [UInt8]) {
    do {
      let profile = try AWSProfile("default", in: bytes)
      for secret in [profile.accessKey, profile.secretKey, profile.sessionToken].compactMap(\.self) {
        promise(!secret.text.isEmpty, "an empty key")
        promise(secret.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a key with a control character")
        promise("\(secret)" == "<secret>", "a secret that shows itself")
      }
    } catch {
      promiseIsShowable(error.words)
    }
  }
}
