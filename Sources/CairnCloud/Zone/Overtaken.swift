/// Commits what is made for a zone as it is known, if its end was seen a moment ago, and else, or
/// where that was refused, for the zone as it is read then: the put fails wherever somebody else
/// was faster.
/// - Parameters:
///   - sawEnd: whether its end was seen.
///   - tried: how many entries were tried to put into its log.
///   - read: reads what is new.
///   - commit: as for `whileOvertaken`.
/// - Returns: what `commit` returns.
/// - Throws: as `whileOvertaken`, and what `read` throws.
func onTop<Result>(
  sawEnd: Bool, tried: () -> UInt64, read: () throws -> Void, _ commit: () throws -> Result
) throws -> Result {
  if sawEnd {
    let before = tried()
    do { return try commit() } catch let error as CloudError {
      // What is refused may be allowed since; what was put may be in the log by now.
      guard error.code == .serverRecordChanged || tried() == before else { throw error }
    }
  }
  return try whileOvertaken {
    try read()
    return try commit()
  }
}

/// Commits what is made for one state of a zone, anew as long as somebody else's commit comes
/// first: that is no failure, and somebody gets on each time.
/// - Parameter commit: looks at the zone as it is now, makes the commit for that, and tries it.
/// - Returns: what `commit` returns.
/// - Throws: what `commit` throws; its `serverRecordChanged` only after a thousand times.
public func whileOvertaken<Result>(_ commit: () throws -> Result) throws -> Result {
  for _ in 1..<1_000 {
    do { return try commit() } catch let error as CloudError {
      guard error.code == .serverRecordChanged else { throw error }
    }
  }
  return try commit()
}
