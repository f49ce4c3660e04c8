import Credentials
import Jobs
import ObjectStorage
import OpenSSL
import Settings

/// Findings on the time for which client certificates are good.
enum CertificateAdvice {
  /// The time before its end at which a certificate should have been replaced.
  static let margin: Duration = .seconds(14 * 86_400)

  /// Returns the finding on a certificate; nil if it is good for longer, or cannot be read, which reading the configuration
  /// has told.
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
    if end < now { return ProbeFinding(.fault, "\(name) expired on \(end.rfc3339): replace it") }
    if start > now {
      return ProbeFinding(.fault, "\(name) is good from \(start.rfc3339) on only: see whether the clock here is right")
    }
    guard end - now < margin else { return nil }
    return ProbeFinding(.advice, "\(name) expires on \(end.rfc3339): it should be replaced by now")
  }
}
