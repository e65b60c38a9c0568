import CairnIdentity
import CairnZone
import Testing

/// Links to shares: exact when they are made, tolerant when they are pasted.
struct TrustLinkTests {
  private let link: ShareLink
  private let secretLink: ShareLink
  /// Links with a location, without and with a secret.
  private let placed: [ShareLink]

  init() throws {
    let container = try #require(ContainerID(hexadecimal: "00112233445566778899aabbccddeeff"))
    let digits = String(repeating: "0123456789abcdef", count: 4)
    let zone = try #require(ZoneID(hexadecimal: digits))
    let founder = UserID(zone.value)
    link = ShareLink(container: container, founder: founder, zone: zone)
    let secret = try #require(SecretBytes((0..<32).map { UInt8($0) }))
    secretLink = ShareLink(container: container, founder: founder, zone: zone, secret: secret)
    let location = "/srv/Wölkchen & Söhne/cairn"
    placed = [nil, secret].map {
      ShareLink(
        container: container, founder: founder, zone: zone, location: location, secret: $0,
        inviter: $0 == nil ? nil : container.value)
    }
  }

  @Test func `a printed link is read back`() throws {
    #expect(try ShareLink(parsing: link.text) == link)
    #expect(try ShareLink(parsing: secretLink.text) == secretLink)
    for link in placed { #expect(try ShareLink(parsing: link.text) == link) }
    #expect(placed.allSatisfy { $0.location == "/srv/Wölkchen & Söhne/cairn" })
    #expect(link.text.utf8.count == 148 && link.location.isEmpty)
    #expect(link.text == link.description)
    #expect(secretLink.description == link.description, "a description shows no secret")
  }

  @Test func `the text never changes between versions`() {
    #expect(
      link.text
        == "cairn:share/aaisem2ekvthpcezvk54zxpo74asgrlhrgv433ybencwpcnlzxxqci2f"
        + "m6e2xtppaerukz4jvpg66ajdivtytk6n54asgrlhrgv433ybencwpcnlzxxqci2fm6e2"
        + "xtppaf24u4ub")
  }

  @Test func `every mistyped character is noticed`() throws {
    for text in [link.text, secretLink.text] + placed.map(\.text) {
      var characters = Array(text.utf8)
      for index in characters.indices.dropFirst("cairn:share/".utf8.count) {
        let right = characters[index]
        guard right != UInt8(ascii: "#") else { continue }
        for wrong in "abz27".utf8 where wrong != right {
          characters[index] = wrong
          let mistyped = String(decoding: characters, as: UTF8.self)
          #expect(throws: ShareLink.Failure.self) { try ShareLink(parsing: mistyped) }
        }
        characters[index] = right
      }
    }
  }

  @Test func `a link that is cut off is noticed`() {
    for link in [link, placed[0]] {
      for count in 13..<link.text.count {
        #expect(throws: ShareLink.Failure.mistyped) {
          try ShareLink(parsing: String(link.text.prefix(count)))
        }
      }
    }
    let cut = String(secretLink.text.dropLast(3))
    #expect(throws: ShareLink.Failure.mistypedSecret) { try ShareLink(parsing: cut) }
  }

  @Test func `changes by mail programs and people do no harm`() throws {
    for link in [secretLink] + placed {
      let text = link.text
      let (head, tail) = (text.prefix(70), text.dropFirst(70))
      let (start, hash) = (text.prefix { $0 != "#" }, text.drop { $0 != "#" })
      let pasted = [
        "  \(text)\n", "<\(text)>", "\"\(text)\".", "(\(text)),", "Ana wrote: \(text)!",
        "\(head)=\n\(tail)", "\(head)=\r\n\(tail)\r\n", "\(head)\n\(tail)",
        "> \(head)\n> \(tail)", "\(start)\n\(hash)", "\(text)\nSee you soon, Ana",
        text.uppercased(), "<\(head)\n   \(tail)>\n-- \nAna",
      ]
      for one in pasted { #expect(try ShareLink(parsing: one) == link, "\(one)") }
    }
  }

  @Test func `a location that a link can't contain is left out`() throws {
    let long = "/" + String(repeating: "x", count: ShareLink.locationLimit)
    for location in ["", "relative/path", "/with\nline", "/with\u{0}nul", long] {
      let made = ShareLink(
        container: link.container, founder: link.founder, zone: link.zone, location: location)
      #expect(made == link)
    }
    let most = ShareLink(
      container: link.container, founder: link.founder, zone: link.zone,
      location: String(long.dropLast()))
    #expect(try ShareLink(parsing: most.text) == most)
    // Mail breaks it into lines.
    let lines = stride(from: 0, to: most.text.count, by: 72).map { start in
      String(most.text.dropFirst(start).prefix(72))
    }
    #expect(lines.count > 20)
    #expect(try ShareLink(parsing: lines.joined(separator: "=\n")) == most)
  }

  @Test func `a text that isn't a link is reported as such`() {
    for text in ["", "hello", "https://example.org/cairn", "cairn:shar"] {
      #expect(throws: ShareLink.Failure.notALink) { try ShareLink(parsing: text) }
    }
    for text in ["cairn:share/", "cairn:share/#", "cairn:share/ü"] {
      #expect(throws: ShareLink.Failure.mistyped) { try ShareLink(parsing: text) }
    }
  }

  @Test func `random text behind the scheme traps nothing`() {
    for seed in 0..<500 {
      let noise = String(decoding: Sample.noise(seed, seed: UInt64(seed)), as: UTF8.self)
      #expect(throws: ShareLink.Failure.self) { try ShareLink(parsing: "cairn:share/" + noise) }
    }
  }
}
