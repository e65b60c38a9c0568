@testable import Simulator

/// Scripts about containers that lost something, folders that went, and indexes that were lost,
/// beside the others.
extension KeptScripts {
  static let losses: [KeptScript] = [
    KeptScript(
      about: "what a folder sends after it follows another history brings its chunks",
      script: Script(
        seed: 6031, people: 2,
        traits: [
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 1, .create(place: 2722764181, name: 2920678321, size: 131)),
          .operation(person: 0, .create(place: 3714215242, name: 1800916000, size: 151)),
          .work(person: 0, turns: 1, hints: .delivered),
          .rollBack(entries: 1),
          .work(person: 1, turns: 20, hints: .delivered),
        ])),
    KeptScript(
      about:
        "what a folder never saw of the common history is no deletion after another is followed",
      script: Script(
        seed: 6069, people: 3,
        traits: [
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 0, .create(place: 3561649314, name: 796409891, size: 47)),
          .operation(person: 2, .create(place: 3519096698, name: 420675151, size: 25)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 2, turns: 20, hints: .delivered),
          .operation(person: 1, .delete(file: 3456901461)),
          .operation(person: 2, .edit(file: 267470257, size: 124)),
          .operation(person: 0, .replace(file: 2870013752, size: 198)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(person: 0, .edit(file: 1355804116, size: 205)),
          .rollBack(entries: 1),
          .work(person: 0, turns: 10, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .rollBack(entries: 4),
          .repair(person: 2),
        ])),
    KeptScript(
      about: "what stood aside when the index was lost goes back to its place",
      script: Script(
        seed: 7005, people: 5,
        traits: [
          .init(hasRenameFlags: false, hasBirths: true, hasLeases: true, granularity: 1),
          .init(),
          .init(),
          .init(),
          .init(hasRenameFlags: true, hasBirths: false, hasLeases: true, granularity: 1),
        ],
        steps: [
          .operation(person: 3, .makeDirectory(place: 4182449322, name: 2333713653)),
          .operation(person: 3, .makeDirectory(place: 3335089685, name: 4136369248)),
          .operation(person: 1, .makeDirectory(place: 2373088412, name: 3067902030)),
          .operation(person: 1, .create(place: 2383873217, name: 3346695978, size: 54)),
          .operation(person: 4, .makeDirectory(place: 3302218642, name: 4255235062)),
          .operation(person: 4, .create(place: 2663363419, name: 626070482, size: 159)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 3, turns: 20, hints: .delivered),
          .work(person: 4, turns: 20, hints: .delivered),
          .operation(person: 2, .create(place: 2718996828, name: 3216159959, size: 165)),
          .operation(person: 4, .beginWriting(file: 3478179288)),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(person: 2, .create(place: 2181547782, name: 1764759029, size: 52)),
          .operation(person: 2, .create(place: 689149706, name: 1511703179, size: 200)),
          .work(person: 4, turns: 20, hints: .lost),
          .operation(person: 2, .swap(entry: 3006717595, other: 1007714650)),
          .work(person: 2, turns: 2, hints: .delivered),
          .work(person: 4, turns: 1, hints: .delivered),
          .deleteIndex(person: 4, .all),
        ])),
    KeptScript(
      about: "an edit that nobody heard of is sent though the file is moved and gets another mode",
      script: Script(
        seed: 40047, people: 5,
        traits: [
          .init(),
          .init(hasRenameFlags: true, hasBirths: true, hasLeases: false, granularity: 1),
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 2, .create(place: 3871784096, name: 1041233508, size: 100)),
          .operation(person: 0, .makeDirectory(place: 1946245581, name: 3808683635)),
          .operation(person: 0, .create(place: 2445945469, name: 2893017224, size: 195)),
          .operation(person: 3, .create(place: 55527285, name: 2264773106, size: 126)),
          .operation(person: 1, .create(place: 810760876, name: 2253121543, size: 188)),
          .operation(person: 0, .create(place: 2634470581, name: 806190349, size: 200)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 2, turns: 20, hints: .delivered),
          .work(person: 3, turns: 20, hints: .delivered),
          .work(person: 4, turns: 20, hints: .delivered),
          .operation(person: 3, .rename(entry: 1707206689, place: 2289363871, name: 1760614845)),
          .operation(person: 4, .recreate(file: 3452148655, size: 48)),
          .operation(person: 2, .edit(file: 2145737415, size: 111)),
          .work(person: 3, turns: 20, hints: .delivered),
          .work(person: 4, turns: 3, hints: .delivered),
          .operation(person: 3, .rename(entry: 652330336, place: 2421097269, name: 3112919694)),
          .operation(person: 2, .edit(file: 217641376, size: 183)),
          .operation(person: 3, .changeMode(file: 419410485)),
          .operation(person: 4, .append(file: 1592744013)),
          .work(person: 2, turns: 3, hints: .delivered),
          .operation(person: 4, .delete(file: 443082321)),
          .work(person: 4, turns: 5, hints: .delivered),
          .work(person: 3, turns: 20, hints: .delivered),
          .operation(person: 4, .append(file: 880511931)),
          .work(person: 4, turns: 3, hints: .lost),
        ])),
  ]
}
