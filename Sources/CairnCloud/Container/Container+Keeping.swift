import CairnIndex
public import CairnZone

/// What is kept of the past of this person's zones.
extension Container {
  /// Says what is kept of a zone's past from now on; the owner only.
  /// - Parameters:
  ///   - policy: which versions; nil: all, for ever.
  ///   - zone: of which zone.
  /// - Throws: `CloudError`, with `.permissionFailure` for everybody else.
  public func setHistory(_ policy: HistoryPolicy?, of zone: Zone) throws {
    guard zone.header.history != policy else { return }
    try change(zone, .zone(.history(policy)))
  }
}

extension Zone {
  /// Which past versions are kept now, by what this device of the owner's has noted of their age.
  /// - Throws: `IndexError` if the index can't be read.
  public func retention() throws -> Retention {
    try index.read {
      try IndexedZone(reading: $0, zone: id, known: header).retention(at: WallClock.seconds)
    }
  }
}
