import CommandParts
import Credentials
import Jobs
import ObjectStorage
import OpenSSL
import Settings

/// Findings about the time for which client certificates are valid.
enum CertificateAdvice {
  /// The time before its end at which a certificate should have been replaced.
  static let margin: Duration = .seconds(14 * 86_400)

  /// Returns the finding on a certificate; nil if it cannot be read, which was reported when the configuration was read.
  static func of(
    _ certificate: ClientCertificate, environment: [String: String], now: Timestamp
  ) -> ProbeFinding? {
    let text: Secret
    do throws(CredentialError) {
      text = try CredentialReader(certificate.certificate, form: .lines, environment: environment).read()
    } catch {
      return nil
    }
    let found: Certificate
    do throws(CertificateFault) {
      found = try Certificate(pem: text.bytes)
    } catch {
      return nil
    }
    let (start, end) = (Timestamp(seconds: found.notBefore), Timestamp(seconds: found.notAfter))
    let name = "has a client_cert (\(certificate.certificate)) that"
    if end < now { return ProbeFinding(.fault, "\(name) expired on \(Words.time(end)): replace it") }
    if start > now {
      return ProbeFinding(
        .fault, "\(name) is good from \(Words.time(start)) on only: see whether the clock here is right")
    }
    guard end - now < margin else { return ProbeFinding(.fits, "\(name) is good until \(Words.time(end))") }
    return ProbeFinding(.advice, "\(name) expires on \(Words.time(end)): it should be replaced by now")
  }
}
