// SPDX-License-Identifier: GPL-2.0-only
import Glibc

/// The events of one read, with the two halves of each rename joined by cookie.
struct EventBatch {
  private(set) var events: [InotifyEvent] = []
  private(set) var isOverflowed = false
  /// A Boolean value that indicates whether the queue was empty after the last of these events.
  var isLast = false

  private var arrivals: [UInt32: Int] = [:]
  private var departures: Set<UInt32> = []
  private var joined: Set<Int> = []

  /// A Boolean value that indicates whether a directory left its place and the other half of its
  /// rename may follow.
  var isOpen: Bool { !departures.isEmpty }

  mutating func append(_ event: InotifyEvent) {
    if event.has(IN_Q_OVERFLOW) { isOverflowed = true }
    if event.isDirectory, event.has(IN_MOVED_FROM) { departures.insert(event.cookie) }
    if event.has(IN_MOVED_TO) {
      departures.remove(event.cookie)
      arrivals[event.cookie] = events.count
    }
    events.append(event)
  }

  /// Returns the arrival for the departure at `index`, which then counts as handled.
  mutating func takeArrival(of index: Int) -> InotifyEvent? {
    guard let arrival = arrivals[events[index].cookie], arrival > index else { return nil }
    joined.insert(arrival)
    return events[arrival]
  }

  /// Returns whether the event at `index` was handled together with its departure.
  func isHandled(_ index: Int) -> Bool { joined.contains(index) }
}
