import Glibc

/// A POSIX semaphore (sem_overview(7)) at a fixed address.
///
/// It is Sendable: the memory is allocated once, touched by sem_* functions alone, which may be
/// called from any thread at any time, and freed when nobody has a reference any more.
public final class CountingSemaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  /// Begins at 0.
  public init() {
    semaphore = .allocate(capacity: 1)
    let failure = sem_init(semaphore, 0, 0)
    precondition(failure == 0, "sem_init fails for invalid values alone, and 0 is valid.")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Adds one.
  public func signal() {
    sem_post(semaphore)
  }

  /// Blocks until there is one, and takes it.
  public func wait() {
    while sem_wait(semaphore) != 0 && errno == EINTR {}
  }
}
