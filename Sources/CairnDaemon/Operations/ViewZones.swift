import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Synchronization

/// The zones that views show. It keeps them up to date, and remembers the chunks of the contents
/// that views read.
final class ViewZones: Sendable {
  private struct State {
    /// The times from which the zones are pulled again.
    var due: [ZoneID: Int64] = [:]
    /// The zones that a thread pulls now.
    var pulling: Set<ZoneID> = []
    var layouts: [ContentID: ContentLayout] = [:]
    /// The contents of `layouts`, the oldest first.
    var order: [ContentID] = []
  }

  /// The error for a record that was deleted, or moved to another share.
  static let gone = ControlError(
    .unknownItem, "The file or folder isn't in the share any more.",
    remedy: "`cairn history` shows deleted files.")

  /// The pause after a pull, in nanoseconds: the kernel asks a view again after the same time.
  private static let pause: Int64 = 1_000_000_000
  /// The pause after a pull that failed, because the container is away.
  private static let longPause: Int64 = 15_000_000_000
  /// The number of contents whose chunks are remembered.
  private static let layouts = 16

  let one: OpenContainer
  let mounts: Mounts
  private let state = Mutex(State())

  init(_ one: OpenContainer, _ mounts: Mounts) {
    (self.one, self.mounts) = (one, mounts)
  }

  /// Returns the zone of a view.
  /// - Throws: `ControlError` with `.zoneNotFound` if this person has no such zone.
  func zone(_ text: String) throws -> Zone {
    guard let id = ZoneID(hexadecimal: text), let zone = try known(id) else {
      throw ControlError(
        .zoneNotFound, "There is no share \(text) here any more.",
        remedy: "`cairn share list` shows the shares.")
    }
    return zone
  }

  /// Returns a zone; nil if this person has no such zone.
  func known(_ id: ZoneID) throws -> Zone? {
    guard let zone = try one.container.zone(id), !one.container.isAccount(zone) else { return nil }
    return zone
  }

  /// Pulls a zone that no mount keeps up to date, unless that was done a moment ago or another
  /// thread does it. What is known already is shown while the container is away.
  func refresh(_ zone: Zone) throws {
    guard mounts.first(of: zone.id) == nil else { return }
    let isDue = state.withLock { state in
      guard Monotonic.now >= state.due[zone.id] ?? .min else { return false }
      return state.pulling.insert(zone.id).inserted
    }
    guard isDue else { return }
    var pause = Self.pause
    defer {
      state.withLock { state in
        state.pulling.remove(zone.id)
        state.due[zone.id] = Monotonic.now + pause
      }
    }
    do { try zone.pull() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      pause = Self.longPause
    }
  }

  /// Returns the chunks of a content.
  /// - Throws: `ControlError` with `.assetNotAvailable` if the bytes aren't kept any more.
  func layout(of id: ContentID, in zone: Zone) throws -> ContentLayout {
    if let known = state.withLock({ $0.layouts[id] }) { return known }
    guard let found = try zone.read({ try $0.layout(of: id) }) else {
      throw ControlError(
        .assetNotAvailable, "The bytes of that version aren't kept any more.",
        remedy: "Open the file again.")
    }
    state.withLock { state in
      if state.layouts.updateValue(found, forKey: id) == nil { state.order.append(id) }
      if state.order.count > Self.layouts { state.layouts[state.order.removeFirst()] = nil }
    }
    return found
  }
}
