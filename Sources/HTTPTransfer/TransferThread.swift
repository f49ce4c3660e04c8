import CCurl
import Glibc
import Synchronization

/// The thread that owns libcurl's multi handle, as the executor of the ``Transport`` actor.
///
/// Whatever is isolated to the actor runs here, between the steps of libcurl. At rest the thread sleeps until the
/// doorbell rings.
final class TransferThread: SerialExecutor {
  /// What other threads left for this one.
  struct Mail {
    /// Transfers to cut.
    var cancelled: [UInt64] = []
    /// Streams that nobody can read any more.
    var released: [UInt64] = []
    /// Whether everything is to be cut.
    var shutdown = false

    var isEmpty: Bool { cancelled.isEmpty && released.isEmpty && !shutdown }
  }

  /// A job, and whether it belongs to a task that prefers this thread rather than to the actor.
  struct Work {
    let job: UnownedJob
    let isTask: Bool
  }

  private struct Inbox {
    var jobs: [Work] = []
    var mail = Mail()
    var isAsleep = false
  }

  private let inbox = Mutex(Inbox())
  private let identity = Atomic<UInt>(0)
  /// An eventfd that ends the sleep; rung only when the thread may be asleep.
  let doorbell: Int32

  init() throws(TransferError) {
    doorbell = ccurl_doorbell()
    guard doorbell >= 0 else {
      throw TransferError(.other, "no eventfd for the transfer thread: \(TransferError.text(errno))", osError: errno)
    }
  }

  deinit { close(doorbell) }

  // MARK: From any thread

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    post { $0.jobs.append(Work(job: job, isTask: false)) }
  }

  /// Takes a job of a task that prefers this thread.
  func enqueue(ofTask job: UnownedJob) { post { $0.jobs.append(Work(job: job, isTask: true)) } }

  func isIsolatingCurrentContext() -> Bool? { identity.load(ordering: .relaxed) == UInt(pthread_self()) }

  func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the transfer thread") }

  /// Cuts a transfer; one that is unknown or has ended is left as it is.
  func cancel(_ id: UInt64) { post { $0.mail.cancelled.append(id) } }

  /// Cuts a stream and forgets what it has buffered.
  func release(_ id: UInt64) { post { $0.mail.released.append(id) } }

  /// Cuts everything; also makes the thread look whether its transport still lives.
  func requestShutdown() { post { $0.mail.shutdown = true } }

  private func post(_ change: (inout Inbox) -> Void) {
    let mustRing = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isAsleep = false }
      return inbox.isAsleep
    }
    if mustRing { ring() }
  }

  private func ring() {
    // It can only fail by a counter at its limit, and then the bell rings already.
    _ = eventfd_write(doorbell, 1)
  }

  // MARK: On the thread itself

  /// For how many jobs the storage is kept.
  private static let mostKept = 1024

  /// Starts the thread; it runs the body and ends.
  func start(_ body: @escaping @Sendable () -> Void) throws(TransferError) {
    let main = unsafe Unmanaged.passRetained(ThreadMain(thread: self, body: body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let code = unsafe pthread_create(
      &thread, &attributes,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<ThreadMain>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, unsafe main.toOpaque())
    guard code == 0 else {
      unsafe main.release()
      throw TransferError(.other, "no thread for transfers: \(TransferError.text(code))", osError: code)
    }
  }

  fileprivate func claim() {
    identity.store(UInt(pthread_self()), ordering: .relaxed)
    // Signals belong to the threads that expect them; SIGPIPE in particular must not end the daemon.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    _ = unsafe ccurl_name_thread("transfer")
  }

  /// Runs the jobs that are there. `jobs` is empty before and after: its storage and the inbox's take turns.
  func runJobs(_ jobs: inout [Work], _ tasks: TransferTasks) {
    inbox.withLock { swap(&jobs, &$0.jobs) }
    defer { jobs.removeAll(keepingCapacity: jobs.count <= Self.mostKept) }
    for work in jobs {
      if work.isTask {
        unsafe work.job.runSynchronously(on: tasks.asUnownedTaskExecutor())
      } else {
        unsafe work.job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  /// Takes what was left by other threads.
  func takeMail() -> Mail {
    inbox.withLock { inbox in
      defer { inbox.mail = Mail() }
      return inbox.mail
    }
  }

  /// Announces the sleep: whoever posts from now on rings. False if something is there already.
  func mayFallAsleep() -> Bool {
    inbox.withLock { inbox in
      inbox.isAsleep = inbox.jobs.isEmpty && inbox.mail.isEmpty
      return inbox.isAsleep
    }
  }

  /// Ends the sleep, and silences the bell if it was heard.
  func wokeUp(bellRang: Bool) {
    inbox.withLock { $0.isAsleep = false }
    guard bellRang else { return }
    var count: UInt64 = 0
    // It can only fail by the bell being silent already.
    _ = unsafe eventfd_read(doorbell, &count)
  }

  /// Sleeps without a time limit until the bell rings.
  func sleep() {
    var bell = pollfd(fd: doorbell, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&bell, 1, -1)
    wokeUp(bellRang: count > 0)
  }
}

/// Runs tasks on the transfer thread, for those that mostly send requests: they go on where their answers arrive, and no
/// other thread has to be woken. What runs here must not block, as it would hold up every transfer.
final class TransferTasks: TaskExecutor {
  private let thread: TransferThread

  init(_ thread: TransferThread) { self.thread = thread }

  func enqueue(_ job: consuming ExecutorJob) { thread.enqueue(ofTask: UnownedJob(job)) }
}

/// What a new thread is given.
private final class ThreadMain: Sendable {
  let thread: TransferThread
  let body: @Sendable () -> Void

  init(thread: TransferThread, body: @escaping @Sendable () -> Void) {
    self.thread = thread
    self.body = body
  }

  func run() {
    thread.claim()
    body()
  }
}
