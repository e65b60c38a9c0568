import BenchFigures
import CairnZone

/// The replay by itself: commits that are already opened and checked are applied to a state in
/// memory.
enum FoldPart {
  static func play(_ bench: Bench) throws {
    let (commits, records) = (20_000, 50_000)
    let single = log((1...commits).map { [file($0)] })
    let rates = try PartCases.rates(of: Double(commits), by: .processor) { try fold(single) }
    bench.add(Figure(rate: "commits of one record folded", "/s", rates))
    let batches = log(
      stride(from: 1, through: records, by: 2_000).map { first in
        (first..<min(first + 2_000, records + 1)).map { file($0) }
      })
    let together = try PartCases.rates(of: Double(records), by: .processor) { try fold(batches) }
    bench.add(Figure(rate: "records folded, 2,000 a commit", "/s", together))
  }

  /// Returns a change that creates a file in the root of a zone.
  static func file(
    _ number: Int, _ content: Content = Content(id: empty, size: 0, chunks: [])
  ) -> RecordChange {
    RecordChange(
      id: RecordID(number: number), act: .create(.file),
      place: Place(parent: .root, name: .numbered(number)),
      content: content,
      attributes: Attributes(isExecutable: false, modified: Int64(number)))
  }

  /// A name for content without any chunk.
  static let empty = ContentID(.zero)
  private static let author = Author(
    user: UserID(.zero), device: DeviceID(Bytes16(high: 0, low: 1)))

  private static func log(_ batches: [[RecordChange]]) -> [Commit] {
    let genesis = Genesis(owner: author.user, name: "Trip")
    let first = Commit(previous: .zero, author: author, time: 1, genesis: genesis, epoch: 1)
    return [first]
      + batches.map { Commit(previous: .zero, author: author, time: 1, epoch: 1, records: $0) }
  }

  private static func fold(_ log: [Commit]) throws {
    var zone = MemoryZone(zone: ZoneID(.zero))
    for (place, commit) in log.enumerated() {
      guard case .applied = zone.fold(commit, at: UInt64(place) + 1, digest: .zero) else {
        throw Child.Trouble(description: "the fold refuses commit \(place + 1)")
      }
    }
  }
}
