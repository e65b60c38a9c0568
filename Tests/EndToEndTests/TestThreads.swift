import CairnThreads
import Glibc
import Testing

/// Threads for tests that wait most of the time: for the end of a process, or for the answer of a
/// daemon. Swift Testing runs tests on the cooperative pool. It has one thread for each processor,
/// so that a test that waits leaves a processor idle.
///
/// Only `Tests/run` asks for them, because it runs this suite in a process of its own. A new
/// process has copies of all descriptors until it runs its program. An engine in the same test
/// process would take it for somebody who has its file open for writing.
final class TestThreads: TaskExecutor {
  static let shared = getenv("CAIRN_TEST_THREADS").flatMap { Int(String(cString: $0)) }
    .map { TestThreads($0) }

  private let jobs = Monitor<[UnownedJob]>([])

  private init(_ count: Int) {
    for number in 0..<count {
      let isStarted = PosixThread.run("test-\(number)") { [self] in
        while let job = jobs.wait(until: nil, for: { $0.isEmpty ? nil : $0.removeFirst() }) {
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
      precondition(isStarted, "the system has no thread for tests")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change(waking: .one) { $0.append(job) }
  }
}

/// Runs a suite, with everything in it, on `TestThreads`.
struct OnTestThreads: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
  }
}

extension Trait where Self == OnTestThreads {
  static var onTestThreads: Self { Self() }
}
