import Jobs
import Messages
import Testing
@testable import Credentials

@Suite struct KeyRenewalTests {
  private static func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

  /// Five minutes before the end, in the last quarter of a short life, and each minute without an end.
  @Test(arguments: [(3600, 3300), (40, 30), (nil, 60)] as [(Int64?, Int64)])
  func renewsInTime(_ end: Int64?, _ due: Int64) throws {
    var renewal = KeyRenewal()
    #expect(renewal.isDue(now: Self.at(0)) && renewal.usable(now: Self.at(0)) == nil)
    renewal.end(.success(try .keys(expires: end)), now: Self.at(0))
    #expect(!renewal.isDue(now: Self.at(due - 1)) && renewal.isDue(now: Self.at(due)))
    #expect(renewal.usable(now: Self.at((end ?? 1_000_000) - 1)) != nil)
    if let end { #expect(renewal.usable(now: Self.at(end)) == nil) }
  }

  @Test func failuresBackOffKeepingOldKeys() throws {
    var renewal = KeyRenewal()
    renewal.end(.success(try .keys(expires: 3600)), now: Self.at(0))
    var now: Int64 = 3300
    for pause: Int64 in [1, 2, 4, 8, 16, 32, 60, 60] {
      renewal.end(.failure(KeyFault(.text("no"))), now: Self.at(now))
      #expect(renewal.usable(now: Self.at(now)) != nil && renewal.failure == KeyFault(.text("no")))
      #expect(!renewal.isDue(now: Self.at(now + pause - 1)) && renewal.isDue(now: Self.at(now + pause)))
      let isReplaced = renewal.beginReplacing(now: Self.at(now + pause - 1))
      #expect(!isReplaced)
      now += pause
    }
    renewal.end(.success(try .keys("B", expires: 7200)), now: Self.at(now))
    #expect(renewal.failure == nil && renewal.usable(now: Self.at(now))?.profile?.accessKey == "B")
  }

  @Test func limitsEarlyRenewalOfRefusedKeys() throws {
    var renewal = KeyRenewal()
    renewal.end(.success(try .keys(expires: 3600)), now: Self.at(0))
    let isReplaced = [1, 2, 30, 31, 60, 61, 62].map { renewal.beginReplacing(now: Self.at($0)) }
    #expect(isReplaced == [true, false, false, true, false, true, false])
  }

  @Test func survivesClockSetbackAndExpiredKeys() throws {
    var renewal = KeyRenewal()
    renewal.end(.success(try .keys(expires: 50)), now: Self.at(100))
    #expect(renewal.usable(now: Self.at(100)) == nil)
    #expect(renewal.failure?.message.text.contains("expired already") == true)
    #expect(renewal.isDue(now: Self.at(0)))
    renewal.end(.success(try .keys(expires: 5000)), now: Self.at(1000))
    let isReplaced = [1000, 10].map { renewal.beginReplacing(now: Self.at($0)) }
    #expect(renewal.isDue(now: Self.at(10)) && isReplaced == [true, true])
  }
}

func result(
  _ fetch: () async throws(KeyFault) -> FetchedCredential
) async -> Result<FetchedCredential, KeyFault> {
  do throws(KeyFault) {
    return .success(try await fetch())
  } catch {
    return .failure(error)
  }
}

extension FetchedCredential {
  static func keys(_ id: String = "A", expires seconds: Int64? = nil) throws -> FetchedCredential {
    FetchedCredential(
      .keys(SigningKey(accessKey: id, secret: "s")), expires: seconds.map { Timestamp(seconds: $0) })
  }

  var profile: SigningKey? {
    if case .keys(let profile) = value { profile } else { nil }
  }
}
