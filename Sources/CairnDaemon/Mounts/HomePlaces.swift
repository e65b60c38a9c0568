import Synchronization

/// The places that the containers of a home use on this machine, so that none uses a place of
/// another one. It must not know the containers.
final class HomePlaces: Sendable {
  private struct State {
    var mounts: [Mounts] = []
    /// The directories of the containers.
    var containers: Set<[UInt8]> = []
  }

  private let state = Mutex(State())
  /// Held while a command makes a folder a mirror, or takes one out of another: two at once would
  /// make two zones of it.
  private let making = Mutex(())

  /// Adds the places of a container.
  /// - Parameters:
  ///   - mounts: Its mounts.
  ///   - folder: Its directory; nil for a bucket.
  func add(_ mounts: Mounts, folder: String?) {
    state.withLock { state in
      state.mounts.append(mounts)
      if let folder { state.containers.insert(Array(folder.utf8)) }
    }
  }

  /// The mounts of all containers.
  var mounts: [Mount] { state.withLock(\.mounts).flatMap(\.all) }

  /// The directories of all containers.
  var containers: [[UInt8]] {
    state.withLock(\.containers).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Lets one command at a time make mirrors of folders.
  func making<Result>(_ body: () throws -> Result) rethrows -> Result {
    try making.withLock { _ in try body() }
  }
}
