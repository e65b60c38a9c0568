import CairnZone
import Testing

/// Ids as people see and type them.
@Suite struct IdentifierTests {
  private let zone: ZoneID

  init() throws { zone = try #require(ZoneID(hexadecimal: String(repeating: "ab", count: 32))) }

  @Test func `what people are shown of an id is what they may type`() {
    #expect(zone.digits.count == 12 && zone.description.hasPrefix(zone.digits))
    #expect(zone.begins(with: zone.digits) && zone.begins(with: zone.description))
    #expect(zone.begins(with: zone.digits.uppercased()))
  }

  @Test func `six digits of an id are enough, and fewer name nothing`() {
    #expect(zone.begins(with: String(zone.description.prefix(6))))
    for text in ["", String(zone.description.prefix(5)), zone.description + "0", "fffffffff"] {
      #expect(!zone.begins(with: text), "\(text)")
    }
  }
}
