import CairnIndex

/// The notes in the row of a mount about the run of the daemon that mirrored it last.
struct RunNotes {
  let tree: FolderTree

  init(_ tree: FolderTree) { self.tree = tree }

  /// The start of the machine during which the mount was last mirrored, and whether that run ended
  /// properly.
  var lastRun: (boot: String?, isClean: Bool) {
    get throws {
      try tree.column("boot, clean") { ($0.text(0), $0.integer(1) != 0) } ?? (nil, false)
    }
  }

  func setRun(_ boot: String?, isClean: Bool) throws {
    try tree.set("boot = ?2, clean = ?3") {
      $0.bind(boot)
      $0.bind(isClean ? 1 : 0)
    }
  }

  /// The last run's notes about the calendar; no offset if there are none.
  var calendar: (offset: Int64?, doubted: Int64?) {
    get throws {
      try tree.column("calendar, doubted") { ($0.number(0), $0.number(1)) } ?? (nil, nil)
    }
  }

  func setCalendar(_ calendar: CalendarWatch) throws {
    try tree.set("calendar = ?2, doubted = ?3") {
      $0.bind(calendar.offset)
      $0.bind(calendar.doubted)
    }
  }
}
