import CairnZone

/// What this person may do, by what was folded last; neither asks the index nor waits.
extension Zone {
  /// Whether this person may change records from here on.
  public var mayWrite: Bool { !isReadOnly && header.mayWrite(account.user) }

  /// Whether this person may read the zone, or it isn't known yet whose it is. Who reads it by a
  /// link may as long as the share has that.
  public var mayRead: Bool {
    let header = header
    if let link, header.genesis != nil { return header.share?.links[link] != nil }
    return header.genesis == nil || header.rights(of: account.user).contains(.read)
  }
}
