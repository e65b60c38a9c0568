import Glibc
import Synchronization

/// Somebody who waits for an answer of another thread, once.
final class Waiter<Answer: Sendable>: @unchecked Sendable {
  // Unchecked: `answer` is read and written between lock and unlock of `mutex` only.
  private var mutex = pthread_mutex_t()
  private var condition = pthread_cond_t()
  private var answer: Answer?

  init() {
    pthread_mutex_init(&mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(&condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(&condition)
    pthread_mutex_destroy(&mutex)
  }

  /// Answers; only the first answer counts.
  func complete(_ value: Answer) {
    pthread_mutex_lock(&mutex)
    if answer == nil { answer = value }
    pthread_cond_broadcast(&condition)
    pthread_mutex_unlock(&mutex)
  }

  /// Waits until that time of the monotonic clock; nil if nobody answered by then.
  func wait(until deadline: Int64?) -> Answer? {
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    while answer == nil {
      guard let deadline else {
        pthread_cond_wait(&condition, &mutex)
        continue
      }
      var time = timespec(
        tv_sec: Int(max(0, deadline) / 1_000_000_000),
        tv_nsec: Int(max(0, deadline) % 1_000_000_000))
      if pthread_cond_timedwait(&condition, &mutex, &time) != 0 { break }
    }
    return answer
  }
}
