import Synchronization

/// The places that the containers of a home use on this machine, so that none uses a place of
/// another one. It must not know the containers.
final class HomePlaces: Sendable {
  /// The places of a container.
  private struct Member {
    var mounts: Mounts
    /// Its directory; nil for a bucket.
    var folder: [UInt8]?
  }

  private let members = Mutex<[Member]>([])
  /// Held while a command makes a folder a mirror, or takes one out of another: two at once would
  /// make two zones of it.
  private let making = Mutex(())

  /// Adds the places of a container.
  /// - Parameters:
  ///   - mounts: Its mounts.
  ///   - folder: Its directory; nil for a bucket.
  func add(_ mounts: Mounts, folder: String?) {
    let member = Member(mounts: mounts, folder: folder.map { Array($0.utf8) })
    members.withLock { $0.append(member) }
  }

  /// Removes the places of a container that couldn't be opened.
  func remove(_ mounts: Mounts) { members.withLock { $0.removeAll { $0.mounts === mounts } } }

  /// The mounts of all containers.
  var mounts: [Mount] { members.withLock { $0.map(\.mounts) }.flatMap(\.all) }

  /// The directories of all containers.
  var containers: [[UInt8]] {
    Set(members.withLock { $0.compactMap(\.folder) }).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Lets one command at a time make mirrors of folders.
  func making<Result>(_ body: () throws -> Result) rethrows -> Result {
    try making.withLock { _ in try body() }
  }
}
