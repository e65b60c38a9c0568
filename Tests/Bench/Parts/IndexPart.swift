import BenchFigures
import CSQLite
import CSodium
import CairnReplica
import CairnZone

/// A log of a zone, read into an index file: opened, verified, replayed and written. Then records
/// are looked up in it by their names.
enum IndexPart {
  private static let entries = 2_000
  private static let records = 20_000

  static func play(_ bench: Bench) throws {
    try bench.place { place in
      let world = try PartWorld(in: place)
      let single = try world.zone()
      for number in 1...entries { _ = try single.save([FoldPart.file(number)]) }
      let taken = try PartCases.rates(
        of: Double(entries), { try world.anew(single) }, { _ = try $0.pull() })
      bench.add(
        Figure(
          rate: "log entries read (bare: their signature)", "/s", taken, bare: try signatures()))

      let large = try world.zone()
      for first in stride(from: 1, through: records, by: 2_000) {
        _ = try large.save((first..<(first + 2_000)).map { FoldPart.file($0) })
      }
      let indexed = try PartCases.rates(
        of: Double(records), { try world.anew(large) }, { _ = try $0.pull() })
      let bare = try BareIndex(path: "\(place)/bare.sqlite")
      let rows = try PartCases.rates(of: Double(records)) { try bare.write(records) }
      bench.add(Figure(rate: "records indexed (bare: INSERT)", "/s", indexed, bare: rows))

      let found = try PartCases.rates(of: Double(records)) {
        try large.read { view in
          for number in 1...records {
            guard let id = try view.child(of: .root, named: .numbered(number)),
              try view.record(id) != nil
            else { throw Child.Trouble(description: "file \(number) isn't in the index") }
          }
        }
      }
      let selected = try PartCases.rates(of: Double(records)) { try bare.find(records) }
      bench.add(
        Figure(rate: "records found by name (bare: two SELECTs)", "/s", found, bare: selected))
    }
  }

  /// Returns the number of signatures that libsodium verifies in a second, of entries as large as
  /// Cairn's.
  private static func signatures() throws -> [Double] {
    var (publicKey, secretKey) = (
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64)
    )
    crypto_sign_keypair(&publicKey, &secretKey)
    let entry = [UInt8](repeating: 7, count: 512)
    var signature = [UInt8](repeating: 0, count: 64)
    crypto_sign_detached(&signature, nil, entry, UInt64(entry.count), secretKey)
    return try PartCases.rates(of: Double(entries)) {
      for _ in 0..<entries {
        let result = crypto_sign_verify_detached(
          signature, entry, UInt64(entry.count), publicKey)
        guard result == 0 else { throw Child.Trouble(description: "a signature doesn't hold") }
      }
    }
  }
}
