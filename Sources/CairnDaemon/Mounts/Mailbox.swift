import Glibc

/// A queue of messages to one thread, which sleeps in the kernel until one comes or its time does.
/// Unchecked: every access to a variable happens between lock and unlock of `mutex`.
final class Mailbox<Message: Sendable>: @unchecked Sendable {
  private var mutex = pthread_mutex_t()
  private var condition = pthread_cond_t()
  private var messages: [Message] = []
  private var isOverflown = false
  private let limit: Int
  private let overflow: Message

  /// An empty mailbox; `overflow` takes the place of all hints when more than `limit` wait.
  init(limit: Int, overflow: Message) {
    self.limit = limit
    self.overflow = overflow
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

  /// Puts messages that can be replaced by `overflow` when too many wait.
  func hint(_ new: [Message]) {
    pthread_mutex_lock(&mutex)
    if !isOverflown {
      isOverflown = messages.count + new.count > limit
      messages += isOverflown ? [overflow] : new
    }
    pthread_cond_signal(&condition)
    pthread_mutex_unlock(&mutex)
  }

  /// Puts a message that must arrive.
  func post(_ message: Message) {
    pthread_mutex_lock(&mutex)
    messages.append(message)
    pthread_cond_signal(&condition)
    pthread_mutex_unlock(&mutex)
  }

  /// Takes all messages; waits for the first until that time of the monotonic clock.
  func take(until deadline: Int64?) -> [Message] {
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    while messages.isEmpty {
      guard let deadline else {
        pthread_cond_wait(&condition, &mutex)
        continue
      }
      var time = timespec(
        tv_sec: Int(max(0, deadline) / 1_000_000_000),
        tv_nsec: Int(max(0, deadline) % 1_000_000_000))
      if pthread_cond_timedwait(&condition, &mutex, &time) != 0 { break }
    }
    defer {
      messages = []
      isOverflown = false
    }
    return messages
  }
}
