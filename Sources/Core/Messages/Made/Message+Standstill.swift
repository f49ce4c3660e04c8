// Made by scripts/messages from Table/standstill.txt.

extension Message {
  /// `its {step} is in flight, and goes on with the answer`
  public static func inFlight(step: String) -> Message {
    Message(code: "in-flight", ["step": .text(step)])
  }

  /// `its {step} begins next`
  public static func beginsNext(step: String) -> Message {
    Message(code: "begins-next", ["step": .text(step)])
  }

  /// `all slots are in use: it begins when an attempt in flight ends`
  public static let slotsAll = Message(code: "slots-all")

  /// `the slots that are free are kept for other destinations: it begins when an attempt in flight ends`
  public static let slotsKept = Message(code: "slots-kept")

  /// `{destination} has as many attempts in flight as it takes now: it begins when one of them ends`
  public static func slotsLimit(destination: String) -> Message {
    Message(code: "slots-limit", ["destination": .text(destination)])
  }

  /// `uploads of large files have all the slots that they may have: it begins when one of them ends`
  public static let slotsLarge = Message(code: "slots-large")

  /// `it is tried again at {at}`
  public static func triedAgainAt(at: String) -> Message {
    Message(code: "tried-again-at", ["at": .time(at)])
  }

  /// `it is tried again at {at}: {why}`
  public static func triedAgainAtFor(at: String, why: Message) -> Message {
    Message(code: "tried-again-at-for", ["at": .time(at), "why": .message(why)])
  }

  /// `{hold}; the next try is at {at}`
  public static func nextTry(hold: Message, at: String) -> Message {
    Message(code: "next-try", ["hold": .message(hold), "at": .time(at)])
  }

  /// `{hold}; the next try is at {at} ({way})`
  public static func nextTryWay(hold: Message, at: String, way: Message) -> Message {
    Message(code: "next-try-way", ["hold": .message(hold), "at": .time(at), "way": .message(way)])
  }

  /// `{hold}; the next try is at {at}, or once there is another key`
  public static func nextTryKey(hold: Message, at: String) -> Message {
    Message(code: "next-try-key", ["hold": .message(hold), "at": .time(at)])
  }

  /// `{hold}; the next try is at {at}, or once the network changes`
  public static func nextTryNetwork(hold: Message, at: String) -> Message {
    Message(code: "next-try-network", ["hold": .message(hold), "at": .time(at)])
  }

  /// `{hold}; the next try is at {at} ({way}), or once the network changes`
  public static func nextTryNetworkWay(hold: Message, at: String, way: Message) -> Message {
    Message(code: "next-try-network-way", ["hold": .message(hold), "at": .time(at), "way": .message(way)])
  }

  /// `{hold}; job {job} tries it now`
  public static func probing(hold: Message, job: some BinaryInteger) -> Message {
    Message(code: "probing", ["hold": .message(hold), "job": .number(Int64(clamping: job))])
  }

  /// `{hold}; job {job} tries it now ({way})`
  public static func probingWay(hold: Message, job: some BinaryInteger, way: Message) -> Message {
    Message(code: "probing-way", ["hold": .message(hold), "job": .number(Int64(clamping: job)), "way": .message(way)])
  }

  /// `{what}; it waits for a working key`
  public static func awaitsWorkingKey(what: Message) -> Message {
    Message(code: "awaits-working-key", ["what": .message(what)])
  }

  /// `{what}; it waits for a working key: {why}`
  public static func awaitsWorkingKeyFor(what: Message, why: Message) -> Message {
    Message(code: "awaits-working-key-for", ["what": .message(what), "why": .message(why)])
  }

  /// `{what}; it waits for the network`
  public static func awaitsNetwork(what: Message) -> Message {
    Message(code: "awaits-network", ["what": .message(what)])
  }

  /// `{what}; it waits for the network: {why}`
  public static func awaitsNetworkFor(what: Message, why: Message) -> Message {
    Message(code: "awaits-network-for", ["what": .message(what), "why": .message(why)])
  }

  /// `it has a question: {question}`
  public static func hasQuestion(question: Message) -> Message {
    Message(code: "has-question", ["question": .message(question)])
  }

  /// `what its cancel left at the storage is cleaned up first: {what}`
  public static func cleanupFirst(what: Message) -> Message {
    Message(code: "cleanup-first", ["what": .message(what)])
  }

  /// `that is in flight`
  public static let cleanupInFlight = Message(code: "cleanup-in-flight")

  /// `that begins next`
  public static let cleanupBegins = Message(code: "cleanup-begins")

  /// `the next try is at {at}`
  public static func cleanupNextTry(at: String) -> Message {
    Message(code: "cleanup-next-try", ["at": .time(at)])
  }

  /// `{destination} is no longer configured: it is about to ask what to do`
  public static func aboutToAsk(destination: String) -> Message {
    Message(code: "about-to-ask", ["destination": .text(destination)])
  }

  /// `the disk under the ledger is full: it goes on once there is space`
  public static let ledgerDiskFull = Message(code: "ledger-disk-full")

  /// `the daemon is stopping: it goes on after the next start`
  public static let goesOnAfterStart = Message(code: "goes-on-after-start")

  /// `nothing ends its wait ({lack}): this is a defect of Waybill; a restart of the daemon may help`
  public static func nothingEndsIt(lack: Message) -> Message {
    Message(code: "nothing-ends-it", ["lack": .message(lack)])
  }

  /// `it has no question`
  public static let lacksQuestion = Message(code: "lacks-question")

  /// `it has no time`
  public static let lacksTime = Message(code: "lacks-time")

  /// `no cleanup is owed`
  public static let lacksCleanup = Message(code: "lacks-cleanup")

  /// `no probe is in flight`
  public static let lacksProbe = Message(code: "lacks-probe")

  /// `nobody is asked`
  public static let lacksAsker = Message(code: "lacks-asker")

  /// `no slot is in use`
  public static let lacksSlots = Message(code: "lacks-slots")
}
