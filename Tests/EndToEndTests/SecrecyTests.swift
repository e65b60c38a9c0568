import Testing

extension EndToEnd {
  @Suite struct SecrecyTests {
    @Test func `the container shows no name and no content`() throws {
      try TwoPeople.playSharing { people in
        let folder = people.ana.folder
        let words = ["Guadalquivir", "Popocatepetl", "Yggdrasil-branch", "Sisyphus-rock"]
        try folder.make("Guadalquivir")
        try folder.write("the Popocatepetl smokes", to: "Guadalquivir/Yggdrasil-branch.txt")
        // It is large enough for a pack. Compression alone would hide nothing of its beginning.
        var large = Array("Sisyphus-rock ".utf8)
        var state: UInt32 = 1
        for _ in 0..<400_000 {
          state = state &* 1_664_525 &+ 1_013_904_223
          large.append(UInt8(truncatingIfNeeded: state >> 24))
        }
        try folder.write(large, to: "Guadalquivir/large")
        try people.settle()
        #expect(try people.bob.folder.read("Guadalquivir/large") == large)

        let objects = try people.container.files()
        #expect(!objects.filter(\.isPack).isEmpty)
        let secrets = words.map { Array($0.utf8) } + [Array(large[1000..<1012])]
        for object in objects {
          let bytes = object.bytes + (try people.container.read(object))
          for secret in secrets {
            #expect(!bytes.contains(run: secret), "\(object) shows \(Name(secret))")
          }
        }
      }
    }
  }
}

extension [UInt8] {
  /// Returns whether it contains these bytes as one sequence.
  func contains(run: [UInt8]) -> Bool {
    guard let first = run.first, count >= run.count else { return false }
    return withUnsafeBufferPointer { bytes in
      (0...bytes.count - run.count).contains { start in
        bytes[start] == first && bytes[start..<start + run.count].elementsEqual(run)
      }
    }
  }
}
