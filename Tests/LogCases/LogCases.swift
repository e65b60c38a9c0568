import CairnZone
import Glibc

/// Plays `LogCursor` for the models in Tests/Model: each line of the input is one question, each
/// line of the output its answer.
///
///     anew                                    another model begins; no answer
///     compacted                               its entries may be deleted; no answer
///     entry NUMBER PREVIOUS AUTHOR KIND       an entry of the model; no answer
///     step HEAD ANCHOR KEYS ; ANSWERS         the next look of a reader
///
/// A reader begins after the entry HEAD, knows the keys KEYS, with commas, and has the anchor
/// ANCHOR (`-`: none). ANSWERS are what it saw so far: numbers of entries, `-1` for garbage, `-`
/// for nothing, and lists with commas. The answer is `HEAD ask LOOK`, or `HEAD end HOW`. So the
/// reader is a value, and the model plays others' acts between any two of its looks.
@main struct LogCases {
  static func main() {
    var world = LogWorld()
    while let line = readLine() {
      let words = line.split(separator: " ")
      if words.first == "anew" {
        world = LogWorld()
      } else if words.first == "compacted" {
        world.isCompacted = true
      } else if words.first == "entry", words.count == 5, let previous = Int(words[2]) {
        world.add(previous, String(words[3]), String(words[4]))
      } else if words.first == "step", words.count >= 4 {
        print(world.play(words))
        fflush(nil)
      }
    }
  }
}

extension LogWorld {
  /// Plays a reader through the answers to its looks.
  func play(_ words: [Substring]) -> String {
    var reader = ModelReader(self, head: Int(words[1]) ?? 0)
    reader.cursor.anchor = Int(words[2]).map {
      LogAnchor(sequence: entries[$0].sequence, digest: Self.digest($0))
    }
    for key in words[3].split(separator: ",").compactMap({ Int($0) }) {
      reader.keys[entries[key].epoch] = key
    }
    reader.answers = words.dropFirst(5).map(String.init)[...]
    let what = reader.play()
    return "\(reader.head) \(what)"
  }
}
