import CairnIndex

extension IndexSchema {
  /// The schema of a person's index files: `private.sqlite`, `shared.sqlite`, `public.sqlite` or
  /// `people.sqlite`, all with the same tables: change tokens, share metadata, the remote trees,
  /// and the known chains. All of it can be read from the container again.
  static let zones = IndexSchema(
    version: 18,
    [
      """
      CREATE TABLE zone (
        number INTEGER PRIMARY KEY, zone BLOB NOT NULL UNIQUE, sequence INTEGER NOT NULL,
        head BLOB NOT NULL, header BLOB NOT NULL)
      """,
      """
      CREATE TABLE zone_key (
        zone INTEGER NOT NULL, epoch INTEGER NOT NULL, key BLOB NOT NULL,
        PRIMARY KEY (zone, epoch)) WITHOUT ROWID
      """,
      "CREATE TABLE author (number INTEGER PRIMARY KEY, user BLOB NOT NULL, device BLOB NOT NULL)",
      "CREATE UNIQUE INDEX author_key ON author (user, device)",
      """
      CREATE TABLE record (
        zone INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL, parent BLOB, name BLOB,
        content BLOB, size INTEGER, chunks BLOB, target BLOB,
        executable INTEGER NOT NULL, modified INTEGER NOT NULL, fields BLOB,
        created INTEGER NOT NULL, created_by INTEGER NOT NULL, created_time INTEGER NOT NULL,
        changed INTEGER NOT NULL, changed_by INTEGER NOT NULL, changed_time INTEGER NOT NULL,
        attributes BLOB, PRIMARY KEY (zone, id)) WITHOUT ROWID
      """,
      "CREATE INDEX record_child ON record (zone, parent, name)",
      "CREATE INDEX record_parent ON record (zone, parent, id)",
      "CREATE INDEX record_changed ON record (zone, changed)",
      "CREATE INDEX record_content ON record (zone, content) WHERE content IS NOT NULL",
      "CREATE INDEX record_reference ON record (zone) WHERE type = 'reference'",
      // Deleted records. The type is null if a snapshot says no more than the deletion.
      """
      CREATE TABLE tombstone (
        zone INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL, type TEXT,
        PRIMARY KEY (zone, id)) WITHOUT ROWID
      """,
      "CREATE INDEX tombstone_sequence ON tombstone (zone, sequence)",
      // The lists of typed records in the orders of queries: `rules` are the fields, and `key` the
      // values in a record's fields, with its id at the end.
      """
      CREATE TABLE listing (
        number INTEGER PRIMARY KEY, zone INTEGER NOT NULL, type TEXT NOT NULL, rules BLOB NOT NULL,
        UNIQUE (zone, type, rules))
      """,
      """
      CREATE TABLE listed (
        listing INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (listing, key)) WITHOUT ROWID
      """,
      // Past versions, written when records change or are deleted: an unchanged record costs
      // nothing. Typed records have no past here.
      """
      CREATE TABLE past (
        zone INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL, parent BLOB NOT NULL,
        name BLOB NOT NULL, content BLOB, size INTEGER, chunks BLOB, target BLOB,
        executable INTEGER NOT NULL, modified INTEGER NOT NULL,
        created INTEGER NOT NULL, created_by INTEGER NOT NULL, created_time INTEGER NOT NULL,
        changed INTEGER NOT NULL, changed_by INTEGER NOT NULL, changed_time INTEGER NOT NULL,
        attributes BLOB,
        ended INTEGER NOT NULL, ended_by INTEGER NOT NULL, ended_time INTEGER NOT NULL,
        ending INTEGER NOT NULL, PRIMARY KEY (zone, id, changed)) WITHOUT ROWID
      """,
      "CREATE INDEX past_content ON past (zone, content) WHERE content IS NOT NULL",
      "CREATE INDEX past_place ON past (zone, parent, name, ending, ended)",
      "CREATE INDEX past_changed ON past (zone, changed)",
      "CREATE INDEX past_ended ON past (zone, ended, id)",
      // Few ended versions were deleted: a search for these skips no others.
      "CREATE INDEX past_deleted ON past (zone, ended, id) WHERE ending = 2",
      "CREATE INDEX past_reference ON past (zone) WHERE type = 'reference'",
      // Contents of versions that are not in `past` any more: a file with one is old, and no edit.
      """
      CREATE TABLE former_content (
        zone INTEGER NOT NULL, id BLOB NOT NULL, content BLOB NOT NULL,
        PRIMARY KEY (zone, content, id)) WITHOUT ROWID
      """,
      """
      CREATE TABLE chunk (
        zone INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, place BLOB NOT NULL,
        pack BLOB, generation INTEGER, author INTEGER NOT NULL,
        PRIMARY KEY (zone, name)) WITHOUT ROWID
      """,
      // Chunks that left the zone with a history cutoff, with the epoch that ended then. They are
      // not part of the state, but past versions that this person may read consist of them.
      """
      CREATE TABLE past_chunk (
        zone INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, place BLOB NOT NULL,
        pack BLOB, generation INTEGER, epoch INTEGER NOT NULL,
        PRIMARY KEY (zone, name)) WITHOUT ROWID
      """,
      // Chunks in stored packs that no commit references yet.
      """
      CREATE TABLE loose_chunk (
        zone INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, place BLOB NOT NULL,
        pack BLOB NOT NULL, generation INTEGER NOT NULL,
        PRIMARY KEY (zone, name)) WITHOUT ROWID
      """,
      """
      CREATE TABLE kept_pack (
        zone INTEGER NOT NULL, pack BLOB NOT NULL, PRIMARY KEY (zone, pack)) WITHOUT ROWID
      """,
      """
      CREATE TABLE checkpoint (
        zone INTEGER NOT NULL, sequence INTEGER NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (zone, sequence)) WITHOUT ROWID
      """,
      // For a zone of this person: the position that was read at the end of each hour, by the age
      // clock.
      """
      CREATE TABLE dated (
        zone INTEGER NOT NULL, hour INTEGER NOT NULL, sequence INTEGER NOT NULL,
        time INTEGER NOT NULL, PRIMARY KEY (zone, hour)) WITHOUT ROWID
      """,
      // Each change of the history policy; null keeps everything. The time is that of the age clock
      // when this device read it.
      """
      CREATE TABLE policy (
        zone INTEGER NOT NULL, sequence INTEGER NOT NULL, policy BLOB, time INTEGER NOT NULL,
        PRIMARY KEY (zone, sequence)) WITHOUT ROWID
      """,
      """
      CREATE TABLE age_clock (
        number INTEGER PRIMARY KEY, time INTEGER NOT NULL, reading INTEGER NOT NULL)
      """,
      // Packs of this person that nobody can name any more.
      "CREATE TABLE leaving_pack (pack TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID",
      // The contents of erased versions, with the first entry of each, until a log start is above
      // that.
      """
      CREATE TABLE forgotten (
        zone INTEGER NOT NULL, place INTEGER NOT NULL, chunk BLOB NOT NULL,
        PRIMARY KEY (zone, place, chunk)) WITHOUT ROWID
      """,
      // The position up to which entries below a log start are deleted.
      "CREATE TABLE swept (zone INTEGER PRIMARY KEY, sequence INTEGER NOT NULL)",
      // The last loaded snapshot's statement about entries up to its position: one digest after
      // another, in the form of `PassedPositions`.
      """
      CREATE TABLE passed (
        zone INTEGER PRIMARY KEY, last INTEGER NOT NULL, digests BLOB NOT NULL)
      """,
      // `epoch` is the epoch of the entry's seal and of its position's name; in a public zone the
      // name is `name`. `time` is its author's clock, and `act` the position of the first entry of
      // the restore or rewind that it belongs to.
      """
      CREATE TABLE entry (
        zone INTEGER NOT NULL, sequence INTEGER NOT NULL, digest BLOB NOT NULL,
        epoch INTEGER NOT NULL, author INTEGER, time INTEGER,
        copied INTEGER NOT NULL DEFAULT 0, name TEXT, act INTEGER,
        PRIMARY KEY (zone, sequence)) WITHOUT ROWID
      """,
      // Entries as stored, so that they can be put back.
      """
      CREATE TABLE kept_entry (
        zone INTEGER NOT NULL, sequence INTEGER NOT NULL, total INTEGER NOT NULL,
        bytes BLOB NOT NULL, UNIQUE (zone, sequence))
      """,
      """
      CREATE TABLE kept_identity (
        user BLOB NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL,
        UNIQUE (user, place))
      """,
      """
      CREATE TABLE disputed_chain (
        user BLOB PRIMARY KEY, length INTEGER NOT NULL, head BLOB NOT NULL) WITHOUT ROWID
      """,
    ])
}
