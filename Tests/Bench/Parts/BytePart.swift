import BenchFigures
import CSodium
import CairnReplica
import CairnStore

/// The data flow: bytes are cut, named and sealed, then opened and checked again. The bare
/// equivalent is libsodium over the same bytes, without cutting, copying or compressing.
enum BytePart {
  private static let mebibyte = 1_048_576
  private static let size = 128 * mebibyte
  private static let small = (count: 20_000, size: 1_024)

  static func play(_ bench: Bench) throws {
    var noise = Noise(11)
    let bytes = noise.bytes(size)
    let megabytes = Double(size) / 1e6
    try bench.place { place in
      let world = try PartWorld(in: place)
      try bytes.withUnsafeBytes { bytes in
        let zone = try world.zone()
        let named = try PartCases.rates(of: megabytes, by: .processor) {
          var feed = Feed(bytes)
          _ = try zone.contentID { feed.fill($0) }
        }
        let digests = try PartCases.rates(of: megabytes, by: .processor) { digest(bytes) }
        bench.add(
          Figure(rate: "cut and named (bare: BLAKE2b)", "MB/s", named, bare: digests))

        let both = try PartCases.rates(of: megabytes, by: .processor) {
          digest(bytes)
          seal(bytes)
        }
        let ingested = try PartCases.rates(
          of: megabytes, by: .processor, { try PartWorld(in: place).zone() }
        ) {
          _ = try $0.ingest(bytes)
        }
        bench.add(
          Figure(
            rate: "cut, named, sealed (bare: and XChaCha20)", "MB/s", ingested, bare: both,
            least: 300))

        let content = try zone.ingest(bytes)
        _ = try zone.save([FoldPart.file(1, content)])
        let opened = try PartCases.rates(of: megabytes, by: .processor) {
          try zone.readContent(content) { _ in }
        }
        bench.add(Figure(rate: "opened and checked (bare: the same)", "MB/s", opened, bare: both))
      }
      try playSmall(bench, world, place)
    }
  }

  private static func playSmall(_ bench: Bench, _ world: PartWorld, _ place: String) throws {
    var noise = Noise(12)
    let files = (0..<small.count).map { _ in noise.bytes(small.size) }
    let sealed = try PartCases.rates(
      of: Double(small.count), by: .processor, { try PartWorld(in: place).zone() },
      { zone in for file in files { _ = try file.withUnsafeBytes { try zone.ingest($0) } } })
    let bare = try PartCases.rates(of: Double(small.count), by: .processor) {
      for file in files {
        file.withUnsafeBytes { bytes in
          digest(bytes)
          seal(bytes)
        }
      }
    }
    bench.add(Figure(rate: "files of 1 KiB named and sealed", "/s", sealed, bare: bare))
  }

  // MARK: Bare

  private static func digest(_ bytes: UnsafeRawBufferPointer) {
    var digest = [UInt8](repeating: 0, count: 32)
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    crypto_generichash(&digest, 32, start, UInt64(bytes.count), nil, 0)
  }

  /// Seals in pieces as large as most chunks, so that the caches matter as they do for Cairn.
  private static func seal(_ bytes: UnsafeRawBufferPointer) {
    let piece = 256 * 1_024
    let (key, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 24))
    var sealed = [UInt8](repeating: 0, count: min(piece, bytes.count) + 16)
    for offset in stride(from: 0, to: bytes.count, by: piece) {
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + piece, bytes.count)])
      crypto_aead_xchacha20poly1305_ietf_encrypt(
        &sealed, nil, part.bindMemory(to: UInt8.self).baseAddress, UInt64(part.count), nil, 0, nil,
        nonce, key)
    }
  }
}
