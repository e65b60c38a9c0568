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
