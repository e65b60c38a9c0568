@testable import Simulator

/// Scripts about hints whose paths lead elsewhere by the time somebody looks, beside the others.
extension KeptScripts {
  static let hints: [KeptScript] = [
    KeptScript(
      about: "a file that was edited below a name its directory had for a moment is seen",
      script: Script(
        seed: 148000814, people: 4,
        traits: [
          .init(),
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 0, .makeDirectory(place: 1110085229, name: 3654909270)),
          .operation(person: 1, .makeDirectory(place: 3213149489, name: 1942817139)),
          .operation(person: 2, .create(place: 2392404903, name: 711055342, size: 103)),
          .operation(person: 1, .makeDirectory(place: 1586169414, name: 3655364201)),
          .operation(person: 1, .makeDirectory(place: 3819157201, name: 2024967789)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .rename(entry: 2332365719, place: 1584933888, name: 3265239914)),
          .work(person: 3, turns: 10, hints: .delivered),
          .operation(person: 1, .create(place: 4008859078, name: 1747981633, size: 86130)),
          .operation(person: 3, .deleteTree(directory: 124631655)),
          .operation(person: 0, .create(place: 3227055269, name: 728772285, size: 214)),
          .operation(person: 3, .create(place: 3406839373, name: 3058112570, size: 178)),
          .work(person: 2, turns: 3, hints: .delivered),
          .copyFolder(person: 0),
          .operation(person: 2, .makeDirectory(place: 2410300574, name: 2184270563)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 3, .create(place: 2396126297, name: 288126754, size: 60)),
          .work(person: 2, turns: 10, hints: .lost),
          .work(person: 0, turns: 5, hints: .delivered),
          .work(person: 3, turns: 2, hints: .delivered),
          .operation(person: 0, .deleteTree(directory: 2444634872)),
          .operation(person: 3, .create(place: 475350239, name: 1396772012, size: 168)),
          .operation(person: 3, .edit(file: 3160892046, size: 54)),
          .operation(person: 0, .edit(file: 397795056, size: 7683)),
          .operation(person: 2, .makeDirectory(place: 117574305, name: 1739930260)),
          .work(person: 2, turns: 3, hints: .delivered),
          .work(person: 0, turns: 1, hints: .delivered),
          .work(person: 3, turns: 20, hints: .delivered),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(person: 0, .makeSymlink(place: 2134623481, name: 3423155764)),
          .operation(person: 0, .swap(entry: 1316686428, other: 1641019174)),
          .operation(person: 0, .edit(file: 1448624018, size: 65)),
          .operation(person: 0, .rename(entry: 2354180616, place: 1166386331, name: 2377113813)),
          .restoreFolder(person: 0),
        ]))
  ]
}
