/// The writers of the tables of an index. Each table is written by one type, in files with its
/// name, so that its rule has one place.
enum TableWriters {
  /// The targets with tables.
  static let targets: Set<String> = ["CairnReplica"]

  static func violations(in sources: [SwiftSource]) -> [Violation] {
    var writers: [String: [String: Violation]] = [:]
    for source in sources where !source.isTest && targets.contains(source.target) {
      let type = String(source.name.prefix { $0 != "+" && $0 != "." })
      for (index, line) in source.lines.enumerated() {
        for match in line.matches(of: /(?:INTO|DELETE FROM|UPDATE) ([a-z_]+)/) {
          let table = String(match.output.1)
          writers[table, default: [:]][type] = Violation(
            source.path, index + 1, "`\(table)` is written by several types, and by `\(type)`")
        }
      }
    }
    return writers.sorted { $0.key < $1.key }.filter { $0.value.count > 1 }
      .flatMap { $0.value.sorted { $0.key < $1.key }.map(\.value) }
  }
}
