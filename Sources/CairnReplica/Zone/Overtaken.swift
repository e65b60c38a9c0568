import CairnIdentity

/// Commits changes for the known state of a zone, if its end was seen very recently. Otherwise, or
/// if that was refused, it reads the zone first. The put fails if somebody else was faster.
/// - Parameters:
///   - sawEnd: Whether its end was seen.
///   - tried: The number of entries that were tried to be put into its log.
///   - read: Reads new entries.
///   - commit: As for `whileOvertaken`.
/// - Returns: the result of `commit`.
/// - Throws: like `whileOvertaken`, and errors of `read`.
func onTop<Result>(
  sawEnd: Bool, tried: () -> UInt64, read: () throws -> Void, _ commit: () throws -> Result
) throws -> Result {
  if sawEnd {
    let before = tried()
    do { return try commit() } catch let error as CloudError {
      // A refused change may be allowed since; a put entry may be in the log by now.
      guard error.code == .serverRecordChanged || tried() == before else { throw error }
    }
  }
  return try whileOvertaken {
    try read()
    return try commit()
  }
}

/// Commits changes for one state of a zone, and repeats that while other commits come first: that
/// is no failure, and somebody succeeds each time.
/// - Parameter commit: Reads the current zone, makes the commit for it, and tries it.
/// - Returns: the result of `commit`.
/// - Throws: errors of `commit`; its `serverRecordChanged` only after a thousand attempts.
public func whileOvertaken<Result>(_ commit: () throws -> Result) throws -> Result {
  for _ in 1..<1_000 {
    do { return try commit() } catch let error as CloudError {
      guard error.code == .serverRecordChanged else { throw error }
    }
  }
  return try commit()
}
