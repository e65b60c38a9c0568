import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// Turns inotify events in a container folder into hints. All notifiers of the process share an
/// `InotifyThread`. It knows no objects.
final class FolderNotifier: Sendable {
  private let shared: InotifyThread
  private let number: Int
  /// The flag for followers without a watch.
  private let hasLost: HasLost

  final class HasLost: Sendable {
    let value = Atomic(false)
  }

  /// Throws `.unsupported` if the system provides no inotify instance or no thread.
  init(root: String, mark: ObjectKey? = nil) throws(StoreError) {
    (shared, number, hasLost) = try InotifyThread.join(root: root, mark: mark)
  }

  deinit { shared.leave(number) }

  func follow(
    _ folder: FolderPath, _ hint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    let added = shared.change(number) { watches -> Result<Int, StoreError> in
      do throws(StoreError) {
        return .success(try watches.add(folder, hint))
      } catch {
        return .failure(error)
      }
    }
    let id = try added.get()
    return Subscription { [self] in
      // Released without the lock: the hint may be the last one to hold a notifier.
      let hint = shared.change(number) { $0.remove(id) }
      withExtendedLifetime(hint) {}
    }
  }

  /// Gives followers their watches again after the root was opened.
  func lookAgainIfLost() {
    guard hasLost.value.load(ordering: .relaxed) else { return }
    shared.wake()
  }

  /// The number of watches that this notifier needs.
  var watchCount: Int { shared.change(number) { $0.watchCount } }
}
