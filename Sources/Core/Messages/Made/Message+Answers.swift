// Made by scripts/messages from Table/answers.txt.

extension Message {
  /// `HTTP {status}`
  public static func httpStatus(status: some BinaryInteger) -> Message {
    Message(code: "http-status", ["status": .number(Int64(clamping: status))])
  }

  /// `HTTP {status} ({name})`
  public static func httpStatusNamed(status: some BinaryInteger, name: String) -> Message {
    Message(code: "http-status-named", ["status": .number(Int64(clamping: status)), "name": .text(name)])
  }

  /// `HTTP {status}: {said}`
  public static func httpStatusSaid(status: some BinaryInteger, said: String) -> Message {
    Message(code: "http-status-said", ["status": .number(Int64(clamping: status)), "said": .text(said)])
  }

  /// `HTTP {status} {code}`
  public static func httpStatusCode(status: some BinaryInteger, code: String) -> Message {
    Message(code: "http-status-code", ["status": .number(Int64(clamping: status)), "code": .text(code)])
  }

  /// `HTTP {status} {code}: {said}`
  public static func httpStatusCodeSaid(status: some BinaryInteger, code: String, said: String) -> Message {
    Message(
      code: "http-status-code-said",
      ["status": .number(Int64(clamping: status)), "code": .text(code), "said": .text(said)])
  }

  /// `HTTP 200 with the error {code}`
  public static func http200Error(code: String) -> Message {
    Message(code: "http-200-error", ["code": .text(code)])
  }

  /// `HTTP 200 with the error {code}: {said}`
  public static func http200ErrorSaid(code: String, said: String) -> Message {
    Message(code: "http-200-error-said", ["code": .text(code), "said": .text(said)])
  }

  /// `HTTP {status} with a web page, which is not the {side}'s answer: check whether a proxy or a login page is in front of it, and whether the address is right`
  public static func httpPage(status: some BinaryInteger, side: String) -> Message {
    Message(code: "http-page", ["status": .number(Int64(clamping: status)), "side": .text(side)])
  }

  /// `HTTP {status} with a web page ({title}), which is not the {side}'s answer: check whether a proxy or a login page is in front of it, and whether the address is right`
  public static func httpPageTitled(status: some BinaryInteger, title: String, side: String) -> Message {
    Message(
      code: "http-page-titled",
      ["status": .number(Int64(clamping: status)), "title": .text(title), "side": .text(side)])
  }

  /// `{answer}: redirects are not followed: Location {location}`
  public static func httpRedirect(answer: Message, location: String) -> Message {
    Message(code: "http-redirect", ["answer": .message(answer), "location": .text(location)])
  }

  /// `{answer}: redirects are not followed: no Location`
  public static func httpRedirectNowhere(answer: Message) -> Message {
    Message(code: "http-redirect-nowhere", ["answer": .message(answer)])
  }

  /// `HTTP {status}: the {side} wants a client certificate that it trusts: see client_cert`
  public static func httpCertificate(status: some BinaryInteger, side: String) -> Message {
    Message(code: "http-certificate", ["status": .number(Int64(clamping: status)), "side": .text(side)])
  }

  /// `HTTP {status} ({said}): the {side} wants a client certificate that it trusts: see client_cert`
  public static func httpCertificateSaid(status: some BinaryInteger, said: String, side: String) -> Message {
    Message(
      code: "http-certificate-said",
      ["status": .number(Int64(clamping: status)), "said": .text(said), "side": .text(side)])
  }

  /// `{answer}: the answer cannot be understood`
  public static func httpNotUnderstood(answer: Message) -> Message {
    Message(code: "http-not-understood", ["answer": .message(answer)])
  }

  /// `{answer}; the bucket is in the region {region}`
  public static func answerInRegion(answer: Message, region: String) -> Message {
    Message(code: "answer-in-region", ["answer": .message(answer), "region": .text(region)])
  }

  /// `{answer} to HEAD: to tell whose the object is, the key needs the right to read it (s3:GetObject)`
  public static func answerHeadRefused(answer: Message) -> Message {
    Message(code: "answer-head-refused", ["answer": .message(answer)])
  }

  /// `{answer}; the clock here says {here}, the storage's {there}`
  public static func answerClocksDiffer(answer: Message, here: String, there: String) -> Message {
    Message(code: "answer-clocks-differ", ["answer": .message(answer), "here": .time(here), "there": .text(there)])
  }

  /// `{answer}; a right is missing, or, at a Ceph gateway with STS, the key or its session token is wrong or has expired`
  public static func answerKeyOrRight(answer: Message) -> Message {
    Message(code: "answer-key-or-right", ["answer": .message(answer)])
  }

  /// `health: {answer}`
  public static func answerHealth(answer: Message) -> Message {
    Message(code: "answer-health", ["answer": .message(answer)])
  }

  /// `{answer} {note}`
  public static func answerWithNote(answer: Message, note: String) -> Message {
    Message(code: "answer-with-note", ["answer": .message(answer), "note": .text(note)])
  }

  /// `{answer}; {more}`
  public static func answerAnd(answer: Message, more: Message) -> Message {
    Message(code: "answer-and", ["answer": .message(answer), "more": .message(more)])
  }

  /// `{answer}; HEAD: {more}`
  public static func answerAndHead(answer: Message, more: Message) -> Message {
    Message(code: "answer-and-head", ["answer": .message(answer), "more": .message(more)])
  }

  /// `{answer}; ListParts does not show part {part}`
  public static func partNotListed(answer: Message, part: some BinaryInteger) -> Message {
    Message(code: "part-not-listed", ["answer": .message(answer), "part": .number(Int64(clamping: part))])
  }

  /// `{path}: {why}`
  public static func fileOfGroup(path: String, why: Message) -> Message {
    Message(code: "file-of-group", ["path": .text(path), "why": .message(why)])
  }

  /// `HTTP 412: an object with this key exists and is not from this job`
  public static let objectNotOurs = Message(code: "object-not-ours")

  /// `HTTP 412: an object with this key exists, but HEAD finds none`
  public static let objectVanished = Message(code: "object-vanished")

  /// `HTTP {status} with a page of HTML (text/html): answers like a web server, not like a backend`
  public static func backendPage(status: some BinaryInteger) -> Message {
    Message(code: "backend-page", ["status": .number(Int64(clamping: status))])
  }

  /// `HTTP {status}, but {lack}`
  public static func backendLacks(status: some BinaryInteger, lack: Message) -> Message {
    Message(code: "backend-lacks", ["status": .number(Int64(clamping: status)), "lack": .message(lack)])
  }

  /// `HTTP {status}, but {lack}: {said}`
  public static func backendLacksSaid(status: some BinaryInteger, lack: Message, said: String) -> Message {
    Message(
      code: "backend-lacks-said",
      ["status": .number(Int64(clamping: status)), "lack": .message(lack), "said": .text(said)])
  }

  /// `success.status has only {statuses}`
  public static func lacksStatus(statuses: String) -> Message {
    Message(code: "lacks-status", ["statuses": .text(statuses)])
  }

  /// `it is not a JSON object with {member} in it`
  public static func lacksObject(member: String) -> Message {
    Message(code: "lacks-object", ["member": .text(member)])
  }

  /// `its JSON has no {member}`
  public static func lacksMember(member: String) -> Message {
    Message(code: "lacks-member", ["member": .text(member)])
  }

  /// `{member} is false`
  public static func memberIsFalse(member: String) -> Message {
    Message(code: "member-is-false", ["member": .text(member)])
  }

  /// `{member} is not true`
  public static func memberIsNotTrue(member: String) -> Message {
    Message(code: "member-is-not-true", ["member": .text(member)])
  }
}
