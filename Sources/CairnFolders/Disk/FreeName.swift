/// The rule for taken names: they get a number. Only the attempt to take a name shows whether it is
/// free, because it may change between a check and a rename.
enum FreeName {
  /// The name itself, then `name 2`, `name 3` and so on.
  static func numbered(_ name: FileNameBytes) -> (Int) -> FileNameBytes {
    { $0 == 1 ? name : name + Array(" \($0)".utf8) }
  }

  /// Tries names, counted from 1, until one is free.
  static func take<Result>(
    attempts: Int = 10_000, _ name: (Int) -> FileNameBytes,
    _ body: (FileNameBytes) throws(FolderError) -> Result
  ) throws(FolderError) -> Result {
    var attempt = 1
    while true {
      do throws(FolderError) { return try body(name(attempt)) } catch {
        guard error.code == .exists, attempt < attempts else { throw error }
        attempt += 1
      }
    }
  }
}
