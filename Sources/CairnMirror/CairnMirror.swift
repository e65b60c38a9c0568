import CairnCloud

/// A mirror of tables of a program's own SQLite database in a container
/// (NSPersistentCloudKitContainer). Each row is a record, and each foreign key a reference.
///
/// The mirror notices rows of every writer, also of `sqlite3` and of other languages, by triggers
/// that stay in the database. It collects all changes at one moment, and sends those of one zone in
/// one commit, so that no transaction is split there, up to the 16 MiB of a commit. Its own state
/// is in the same file, in tables that begin with `cairn_`: after a crash at any point, the next
/// `sync` goes on.
///
/// Rules:
/// - A mirrored table has a primary key. The number of an INTEGER PRIMARY KEY is chosen on each
///   device: an arriving row gets another number if its own is taken. All other keys are data.
/// - The parent of a row is the row that its first foreign key leads to. A row is in the zone of
///   its parent, and without one in the mirror's own zone, until it is shared. Each zone also has
///   copies of the rows that its rows refer to.
/// - Two devices may change one row. Changes of different columns are both kept. Of one column the
///   last commit counts. A change wins against a deletion, and a deleted row comes back while a
///   row that stays refers to it.
/// - Rows that a UNIQUE rule makes equal become one. The lowest record id stays, and all references
///   lead to its row.
/// - A row that a zone refuses stays, and carries the reason: see `problems`. It is sent again with
///   the next `sync`. Nothing else waits for it, except for rows that refer to it.
/// - Columns and tables that a program doesn't know stay in their records as they are.
///
/// The program must use the SQLite library of the system: two copies of SQLite in one process must
/// not open one file. `PRAGMA foreign_keys` is its own choice.
public actor CairnMirror {
  /// The container.
  public nonisolated let container: CloudContainer
  private let thread: MirrorThread
  let ledger: Ledger
  /// The mirror's own zone.
  let main: CloudZone
  let mainNumber: Int64
  /// The zones that this person can read, by number.
  var zones: [Int64: CloudZone] = [:]
  /// The callers that wait for the end of another call.
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// The thread of the mirror.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Opens the mirror of a database, and creates its tables and triggers there. Tables may be added
  /// later, and columns too: call this after each change of the schema.
  /// - Parameters:
  ///   - path: The path of the database.
  ///   - tables: The tables to mirror.
  ///   - container: The container. All of its zones belong to the mirror.
  ///   - zone: The name of this person's own zone for rows that aren't shared.
  /// - Returns: The mirror.
  /// - Throws: `CloudError`; with `.invalidArguments` for a table without a primary key.
  public static func open(
    _ path: String, tables: [String], in container: CloudContainer, zone: String = "Main"
  ) async throws(CloudError) -> CairnMirror {
    let main = try await container.privateDatabase.zone(named: zone)
    let thread = try MirrorThread()
    return try await CairnMirror(path, tables, main, container, thread)
  }

  private init(
    _ path: String, _ tables: [String], _ main: CloudZone, _ container: CloudContainer,
    _ thread: MirrorThread
  ) async throws(CloudError) {
    (self.container, self.main, self.thread) = (container, main, thread)
    let db = try Database(path)
    let (ledger, number) = try db.transaction {
      () throws(CloudError) -> (Ledger, Int64) in
      let (shapes, isWider) = try SideTables(db).prepare(tables)
      let ledger = try Ledger(db, shapes)
      if isWider { try db.run("UPDATE cairn_zone SET token = NULL") }
      return (ledger, try ledger.number(of: main.id))
    }
    (self.ledger, mainNumber) = (ledger, number)
  }

  /// The zones that this person can edit.
  var editable: Set<Int64> { Set(zones.filter { $0.value.canEdit }.keys) }

  /// Runs a call while no other one changes the tables.
  func alone<T>(_ body: () async throws(CloudError) -> T) async throws(CloudError) -> T {
    if isBusy {
      await withCheckedContinuation { waiting.append($0) }
    }
    isBusy = true
    defer {
      if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
    return try await body()
  }

  // MARK: Synchronization

  /// Fetches the changes of all zones, and sends the program's own, until nothing is left to do.
  /// - Parameter progress: A function that gets the number of unsent rows, before the first commit
  ///   and after each one.
  /// - Throws: `CloudError` if the container can't be used; unsent changes stay noted. A zone that
  ///   refuses rows is no error: see `problems`.
  public func sync(
    _ progress: (@Sendable (MirrorStatus) -> Void)? = nil
  ) async throws(CloudError) {
    try await alone { () async throws(CloudError) in try await exchange(progress) }
  }

  /// Synchronizes, and fails if a row isn't sent.
  /// - Throws: `CloudError` with the code of the first refused row.
  public func settled() async throws(CloudError) {
    try await sync()
    guard let problem = try problems().first else { return }
    throw CloudError(problem.code, "\(problem.row): \(problem.message)")
  }

  /// Collects the unsent changes. From then on they are in the database under the ids of their
  /// records, so that a crash while they are sent makes no row twice.
  func collect() throws(CloudError) -> [Batch] {
    let editable = editable
    return try ledger.db.transaction { () throws(CloudError) in
      var collector = try Collector(ledger, main: mainNumber, editable: editable)
      return try collector.collect()
    }
  }

  func exchange(
    _ progress: (@Sendable (MirrorStatus) -> Void)? = nil
  ) async throws(CloudError) {
    var isRepeated = false
    // If others change the same rows all the time, the next call goes on.
    for _ in 0..<32 {
      try await pull()
      let batches = try collect().filter { !$0.isRefused || !isRepeated }
      isRepeated = true
      guard !batches.isEmpty else { return }
      try progress?(status())
      for batch in batches {
        let read = try await send(batch)
        try await reread(read, in: batch.zone)
        try progress?(status())
      }
    }
  }
}
