import CairnZone

/// What this person may do, and others could, by what was folded last; none asks the index, or
/// waits.
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

  /// Whether anybody but the owner could ever read the zone, as far as it is folded.
  public var hadReaders: Bool {
    let header = header
    // Whoever went left the key to be changed, or had it changed.
    if header.epoch > 1 || header.isRekeyDue { return true }
    guard let share = header.share else { return false }
    return !share.participants.isEmpty || !share.links.isEmpty
  }
}
