import CairnIdentity
import CairnZone

extension ZoneReplica {
  /// The trouble that prevents writing here, if the zone is kept elsewhere.
  func elsewhere() throws -> LogTrouble? {
    guard header.genesis != nil, try !sites.trail().keeps(header.site) else { return nil }
    return .elsewhere(header.site, at: header.sequence)
  }

  /// Throws before a write, if the zone is kept elsewhere.
  func checkIsHere() throws {
    guard let found = try elsewhere() else { return }
    trouble = found
    throw found.error
  }

  /// Ends the log here with a last entry, unless it is there already: the zone continues at another
  /// location.
  public func goOn(at site: Site) throws {
    try whileOvertaken {
      if header.site?.id != site.id { _ = try pull() }
      guard header.site?.id != site.id else { return }
      _ = try commit(
        records: [], share: [.zone(.goesOn(site))], expecting: header.sequence,
        rekey: header.kind == .owned)
    }
  }
}
