import CairnZone
import Testing

@Suite struct ZonePartTests {
  private let zone = ZoneID(number32(7))

  @Test func `what is written is read back, as text and as bytes`() {
    for part in [ZonePart(zone), ZonePart(zone, base: record(9))] {
      #expect(ZonePart(part.description) == part)
      #expect(ZonePart(bytes: part.bytes) == part)
    }
    // Marks of folders that mirror a whole zone are the zone's id, as they always were.
    #expect(ZonePart(zone).description == zone.description)
  }

  @Test func `anything else is no part`() {
    let good = ZonePart(zone, base: record(9)).description
    let text = [
      "", "/", String(good.dropLast()), good + "/", good.uppercased() + "A", "\(zone)/",
      "\(zone)/\(String(repeating: "0", count: 32))", "x" + good.dropFirst(),
    ]
    for wrong in text { #expect(ZonePart(wrong) == nil, "\(wrong)") }
    #expect(ZonePart(bytes: [UInt8](repeating: 1, count: 47)) == nil)
  }
}
