import Glibc

/// A POSIX semaphore (sem_overview(7)) at a fixed address.
final class CountingSemaphore: @unchecked Sendable {
  // Proof for Sendable: the memory is allocated once, is touched by sem_* functions alone, which
  // may be called from any thread at any time, and is freed when nobody has a reference any more.
  private let semaphore: UnsafeMutablePointer<sem_t>

  /// Begins at 0.
  init() {
    semaphore = .allocate(capacity: 1)
    let failure = sem_init(semaphore, 0, 0)
    precondition(failure == 0, "sem_init fails for invalid values alone, and 0 is valid.")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Adds one.
  func signal() {
    sem_post(semaphore)
  }

  /// Blocks until there is one, and takes it.
  func wait() {
    while sem_wait(semaphore) != 0 && errno == EINTR {}
  }
}
