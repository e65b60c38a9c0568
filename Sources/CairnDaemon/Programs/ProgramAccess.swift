@_spi(Served) import CairnCloud

/// The zones that a program may use, by the table.
struct ProgramAccess: ProgramGrant {
  let table: ProgramTable
  let entry: ProgramTable.Entry

  var names: [String] { entry.allowed?.names ?? [] }
  var mayShare: Bool { entry.allowed?.sharing ?? false }

  func mayUse(_ zone: String) -> Bool { entry.zones.contains(zone) }

  func add(_ zone: String) throws { try table.add(zone, to: entry.name) }
}
