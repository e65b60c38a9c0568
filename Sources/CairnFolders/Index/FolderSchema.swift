import CairnIndex

extension IndexSchema {
  /// `folders.sqlite`: what the last look at each mounted folder found, and what both sides last
  /// agreed on. `NodeRow` reads the columns of `node` and `arrival` by their places.
  static let folders = IndexSchema(
    version: 11,
    [
      // A mount of a part of a zone. `seen` and `seen_head`: the change token; `compared`: whether
      // all of the folder was compared with the zone; `starts_after`: the place in the log at which
      // it began to mirror it; `held_since`: since when deletions wait for a word (null: none do);
      // `read_only`: whether the files show that nobody may write them (null: unknown); `boot` and
      // `clean`: the start of the machine under which the last run was, and whether it ended in
      // order; `calendar` and `doubted`: see `CalendarWatch`; `selection`: the selection that the
      // rows follow (null: everything); `carried`: the attributes that the rows have
      // (`CarriedAttributes`).
      """
      CREATE TABLE mount (
        number INTEGER PRIMARY KEY, zone BLOB NOT NULL, base BLOB NOT NULL,
        device INTEGER NOT NULL, inode INTEGER NOT NULL, birth INTEGER NOT NULL,
        seen INTEGER NOT NULL DEFAULT 0, seen_head BLOB, compared INTEGER NOT NULL DEFAULT 0,
        starts_after INTEGER NOT NULL DEFAULT 0, held_since INTEGER, read_only INTEGER, boot TEXT,
        clean INTEGER NOT NULL DEFAULT 0, calendar INTEGER, doubted INTEGER, selection BLOB,
        carried INTEGER NOT NULL DEFAULT 0,
        UNIQUE (zone, base))
      """,
      "CREATE TABLE node (\(nodeColumns), PRIMARY KEY (mount, id)) WITHOUT ROWID",
      "CREATE INDEX node_place ON node (mount, parent, name)",
      "CREATE INDEX node_inode ON node (mount, inode)",
      "CREATE INDEX node_link ON node (mount) WHERE kind = 3",
      "CREATE INDEX node_directory ON node (mount, parent, name) WHERE kind = 2",
      // `side`: the bits of `DirtySides`.
      """
      CREATE TABLE dirty (
        number INTEGER PRIMARY KEY, mount INTEGER NOT NULL, id BLOB NOT NULL,
        side INTEGER NOT NULL, UNIQUE (mount, id))
      """,
      "CREATE INDEX dirty_ready ON dirty (mount) WHERE side < 8",
      // Nodes that are about to appear on the disk, in the order in which they were noted.
      "CREATE TABLE arrival (\(nodeColumns))",
      "CREATE INDEX arrival_mount ON arrival (mount)",
      // Files in the staging folder whose contents are being fetched (`PartialFile`).
      """
      CREATE TABLE partial (
        mount INTEGER NOT NULL, id BLOB NOT NULL, name BLOB NOT NULL, content BLOB NOT NULL,
        PRIMARY KEY (mount, id)) WITHOUT ROWID
      """,
      // `back`: whether the nodes returned, and only the other mount's own data is left.
      """
      CREATE TABLE reference (
        mount INTEGER NOT NULL, id BLOB NOT NULL, part BLOB NOT NULL, record BLOB NOT NULL,
        parent BLOB NOT NULL, name BLOB NOT NULL, file INTEGER NOT NULL,
        back INTEGER NOT NULL, PRIMARY KEY (mount, id)) WITHOUT ROWID
      """,
      // The mode and group that nodes had before they left their places.
      """
      CREATE TABLE access (
        mount INTEGER NOT NULL, id BLOB NOT NULL, parent BLOB NOT NULL, name BLOB NOT NULL,
        access INTEGER NOT NULL, PRIMARY KEY (mount, id)) WITHOUT ROWID
      """,
      "CREATE INDEX access_place ON access (mount, parent, name)",
      // Names that rules leave out; `file`: the rules' file (null: a built-in rule).
      """
      CREATE TABLE ignored (
        mount INTEGER NOT NULL, parent BLOB NOT NULL, name BLOB NOT NULL, pattern BLOB NOT NULL,
        file BLOB, PRIMARY KEY (mount, parent, name)) WITHOUT ROWID
      """,
    ])

  /// A node: what the disk shows, what tells whether it still is that, what both sides agreed on,
  /// the attributes that the disk shows instead of those that were meant (null: the same), and the
  /// mode and group (`Access`). Modes and extended attributes of the record are null where it has
  /// none, or this device doesn't apply them.
  private static let nodeColumns = """
    mount INTEGER NOT NULL, id BLOB NOT NULL,
    parent BLOB, name BLOB, kind INTEGER, content BLOB, target BLOB, executable INTEGER,
    modified INTEGER, mode INTEGER, extended BLOB,
    inode INTEGER, birth INTEGER, size INTEGER, changed INTEGER,
    synced_parent BLOB, synced_name BLOB, synced_kind INTEGER, synced_content BLOB,
    synced_target BLOB, synced_executable INTEGER, synced_modified INTEGER,
    synced_mode INTEGER, synced_extended BLOB,
    shown_executable INTEGER, shown_modified INTEGER, access INTEGER, shown_extended BLOB
    """

  /// The tables that hold something about a mount, beside `mount` itself.
  static let tablesOfMount = [
    "node", "dirty", "arrival", "reference", "access", "ignored", "partial",
  ]
}
