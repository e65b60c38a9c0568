import CairnControl
import CairnThreads

/// An open directory, which is read in parts while a program reads it. It holds one part at a time.
final class DirectoryListing: Sendable {
  private struct State {
    /// The entries of the part, and the index of the first one in the directory.
    var entries: [Control.ViewEntry] = []
    var start = 0
    /// The beginnings of the parts so far: the index of the first entry, and the name before it.
    var parts: [(index: Int, after: [UInt8]?)] = [(0, nil)]
    /// The number of the part in `entries`; nil if none was read.
    var part: Int?
  }

  /// The numbers of names in the first part, and in each further one.
  static let (first, further) = (200, 2_000)

  private let source: any ViewSource
  /// The id of the directory's record.
  let record: String
  private let zone: String
  private let state = Monitor(State())
  private let turn = Monitor(false)

  init(_ source: any ViewSource, zone: String, record: String) {
    (self.source, self.zone, self.record) = (source, zone, record)
  }

  /// Returns entries from an index on, at least one; none at the end.
  func entries(from index: Int) throws(ControlError) -> [Control.ViewEntry] {
    // One thread reads; another one finds the part that it needs afterwards.
    _ = turn.wait(until: nil) { isBusy -> Bool? in
      guard !isBusy else { return nil }
      isBusy = true
      return true
    }
    defer { turn.change { $0 = false } }
    while true {
      let next = state.change { state in Self.step(&state, index) }
      switch next {
      case .found(let entries): return entries
      case .read(let part, let after): try read(part, after, index)
      }
    }
  }

  private enum Step {
    case found([Control.ViewEntry])
    case read(part: Int, after: [UInt8]?)
  }

  private static func step(_ state: inout State, _ index: Int) -> Step {
    let part = state.parts.lastIndex { $0.index <= index } ?? 0
    guard part == state.part else { return .read(part: part, after: state.parts[part].after) }
    return .found(Array(state.entries.dropFirst(index - state.start)))
  }

  private func read(_ part: Int, _ after: [UInt8]?, _ index: Int) throws(ControlError) {
    var (entries, next): ([Control.ViewEntry], [UInt8]?) = ([], after)
    repeat {
      // Names of records without a place in a tree are skipped, so that a part may be empty.
      (entries, next) = try source.list(
        zone: zone, record: record, after: next, limit: part == 0 ? Self.first : Self.further)
    } while entries.isEmpty && next != nil
    state.change { state in
      (state.entries, state.start, state.part) = (entries, state.parts[part].index, part)
      // A part that is read again may have other entries, and then the next one begins elsewhere.
      state.parts.removeSubrange((part + 1)...)
      if let next { state.parts.append((state.start + entries.count, next)) }
    }
  }
}
