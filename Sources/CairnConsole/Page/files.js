// Files: the tree with the state of each name, versions of each; conflicts, deletions that wait,
// what was deleted, what was rescued.

import { comparison, preview, read, saving } from "./compare.js";
import { ask, asked, upload, versionName } from "./control.js";
import {
  button, choice, confirm, dialog, el, failure, field, filling, form, name, paged, renew, said, say, show,
  table, tell, terms, who,
} from "./elements.js";
import { selecting } from "./select.js";
import { settleHeld } from "./trouble.js";
import {
  acts, below, count, inside, isInside, isSame, kinds, lastName, parent, person, sentence, size, states, time,
  visible, way,
} from "./words.js";

export const title = "Files";

/** The orders of a list; folders come first in each. */
const orders = {
  name: ["Name", (left, right) => left.label < right.label ? -1 : 1],
  size: ["Size", (left, right) => right.size - left.size],
  time: ["Time", (left, right) => left.modified < right.modified ? 1 : -1],
};

/** The people who have a file open on other devices. */
const openBy = (entry) => (entry.openBy ?? []).map((one) => [who(one.person), " on ", said(one.device),
  ", since ", time(one.since)]);

const tabs = { tree: "All files", conflicts: "Conflicts", held: "Pending deletions",
  deleted: "Deleted", rescued: "Recovered" };

export async function open(place, context, state) {
  const { mounts } = context.status;
  if (mounts.length === 0) {
    show(place, el("p", {}, "No folder is synced yet."),
      button("Go to folders", () => context.go("folders"), { class: "main" }));
    return {};
  }
  const root = (path) => mounts.filter((mount) => isInside(path, mount.path))
    .sort((left, right) => visible(right.path).length - visible(left.path).length)[0];
  const first = state.open ?? state.path;
  let mount = (first && root(first)) ?? mounts[0];
  let folder = state.open && root(state.open) && !isSame(state.open, mount.path)
    ? parent(state.open) : (first && root(first) ? first : mount.path);
  let tab = tabs[state.tab] ? state.tab : "tree";
  let words = "";
  let order = "name";
  const [bar, body] = [el("div", {}), el("div", {})];
  // The other views show all folders together.
  const isOfFolder = () => mounts.length > 1 && (tab === "tree" || tab === "deleted");
  const which = field("Folder", choice(mounts.map((one) => [one.id, visible(one.title)]), mount.id,
    { onchange: (event) => {
      mount = mounts.find((one) => one.id === event.target.value);
      [folder, words] = [mount.path, ""];
      look();
    } }));
  which.hidden = !isOfFolder();
  show(place, bar, body);

  /** `isNews`: something happened, and nobody asked for another view. */
  async function look(isNews) {
    // Nothing moves under who reads a dialog or a comparison.
    const isRead = () => isNews && (document.querySelector("dialog[open]") || body.querySelector(".compared > *"));
    if (isRead()) return;
    const isCurrent = filling(body);
    const page = el("div", {});
    try {
      await { tree, conflicts, held, deleted, rescued }[tab](page);
    } catch (error) { show(page, failure(error)); }
    if (!isCurrent() || isRead()) return;
    // A button that is replaced while it is pressed does nothing.
    if (isNews && body.firstElementChild?.isEqualNode(page)) return;
    renew(body, page);
  }

  function turn() {
    show(bar, el("div", { class: "row tabs", role: "group", "aria-label": "What to look at" },
      Object.entries(tabs).map(([key, label]) => el("button", { type: "button",
        class: key === tab ? "main" : "", "aria-pressed": String(key === tab), onclick: () => {
          tab = key;
          which.hidden = !isOfFolder();
          for (const one of bar.querySelectorAll(".tabs button")) {
            const isIt = one.textContent === label;
            one.className = isIt ? "main" : "";
            one.setAttribute("aria-pressed", String(isIt));
          }
          look();
        } }, label))),
    which);
    return look();
  }

  // MARK: The tree

  async function tree(page) {
    const list = await ask("ls", { path: folder, recursive: false });
    const goTo = async (path) => {
      [folder, words] = [path, ""];
      await look();
      body.querySelector("[aria-current]")?.focus();
    };
    const entries = list.items.map((entry) => ({ ...entry, label: visible(lastName(entry.path)) }));
    const rows = el("div", {});
    const sort = () => entries.sort((left, right) => (right.kind === "directory")
      - (left.kind === "directory") || orders[order][1](left, right));
    sort();
    const filter = () => show(rows, paged("Files", [["Name"], ["Size", "number"], ["Changed"],
      ["State", "short"]], entries.filter((entry) => entry.label.toLowerCase()
      .includes(words.toLowerCase())), (entry) => [
      entry.kind === "directory"
        ? [el("button", { type: "button", class: "name", onclick: () => goTo(entry.path) },
          name(lastName(entry.path)), "/"), " ",
        el("button", { type: "button", class: "name", onclick: () => details(entry.path, "directory"),
          "aria-label": "About the folder " + entry.label }, "(details)")]
        : el("button", { type: "button", class: "name", onclick: () => details(entry.path, entry.kind) },
          name(lastName(entry.path))),
      entry.kind === "file" ? size(entry.size) : kinds[entry.kind],
      [time(entry.modified), entry.changedBy && [", ", who(entry.changedBy)]],
      [el("span", { class: { problem: "bad", conflict: "warn", held: "warn", synced: "good" }[entry.state] ?? "" },
        states[entry.state] ?? entry.state), openBy(entry).map((one) => [el("br"), "open by ", one])],
    ], "The folder is empty."));
    const ways = way(folder, mount.path);
    const titleOf = (step, index) => index === 0 ? said(mount.title) : name(lastName(step));
    show(page, el("nav", { "aria-label": "Folders on the way" }, el("ol", { class: "crumbs" },
      ways.map((step, index) => el("li", {}, index === ways.length - 1
        ? el("span", { "aria-current": "location", tabindex: "-1" }, titleOf(step, index))
        : el("button", { type: "button", class: "name", onclick: () => goTo(step) },
          titleOf(step, index)))))),
    el("div", { class: "row end" },
      field("Sort by", choice(Object.entries(orders).map(([key, [label]]) => [key, label]), order,
        { onchange: (event) => { order = event.target.value; sort(); filter(); } })),
      entries.length > 20 && field("Only names with", el("input", { type: "search",
        value: words, oninput: (event) => { words = event.target.value; filter(); } })),
      mount.permission === "read-write" && adding(rows),
      button("Select files…", async () => {
        if (await selecting(mount)) look();
      })), rows);
    filter();
  }

  /** A button that uploads files, which can also be dropped on the list. */
  function adding(list) {
    const [target, into] = [el("input", { type: "file", multiple: true, hidden: true, tabindex: "-1",
      "aria-label": "Files to upload" }), folder];
    const send = async (files) => {
      let last;
      for (const [index, file] of files.entries()) {
        const told = `Uploading ${visible(file.name)} (${index + 1} of ${files.length})`;
        say(told);
        last = await upload(file, inside(into, file.name), (size) =>
          file.size > 4e6 && say(`${told}: ${Math.floor(100 * size / file.size)} %`));
      }
      say(files.length === 1 ? `${visible(lastName(last))} is uploaded.`
        : `${count(files.length, "file is", "files are")} uploaded.`);
    };
    list.className = "drop";
    const isFiles = (event) => event.dataTransfer.types.includes("Files");
    list.addEventListener("dragover", (event) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      list.classList.add("over");
    });
    list.addEventListener("dragleave", () => list.classList.remove("over"));
    const choosing = button("Upload…", async () => {
      const files = [...target.files];
      if (files.length === 0) return target.click();
      target.value = "";
      await send(files);
      look();
    });
    target.addEventListener("change", () => target.files.length > 0 && choosing.click());
    list.addEventListener("drop", (event) => {
      list.classList.remove("over");
      if (!isFiles(event)) return;
      event.preventDefault();
      target.files = event.dataTransfer.files;
      choosing.click();
    });
    return [choosing, target];
  }

  // MARK: One file

  async function details(path, kind) {
    const [stat, why, past] = await Promise.all([
      ask("stat", { paths: [path], onlyShared: false }), ask("why", { path }),
      kind === "directory" ? { items: [] } : ask("history", { path, deletedOnly: false, limit: 200 })]);
    const one = stat.items[0] ?? {};
    await dialog(name(lastName(path)), (close) => {
      const view = el("div", { class: "preview" });
      const shown = async (version, label) => {
        const isCurrent = filling(view);
        const file = await read(path, version);
        if (!isCurrent()) return;
        show(view, el("h3", { tabindex: "-1" }, label), preview(file, label));
        view.querySelector("h3").focus();
      };
      return [
        terms([["Path", name(path)], ["State", states[one.state]],
          ["Open by", openBy(one).length > 0 && openBy(one).map((text, index) => [index > 0 && el("br"), text])],
          ["Created by", one.createdBy && who(one.createdBy)],
          ["Changed by", one.changedBy && who(one.changedBy)]]),
        why.now.map((reason) => el("p", {}, sentence(reason.text), " ",
          el("span", { class: "soft" }, sentence(reason.remedy)))),
        el("div", { class: "row" }, kind === "file" && [
          button("Show", () => shown(undefined, "As it is now")), saving(path)],
        kind !== "directory" && button("Permissions", () => rights(path)),
        el("button", { type: "button", onclick: () => close() }, "Close")),
        past.items.length > 0 && table("Versions, newest first", [["Version"], ["What"], ["Who", "who"],
          ["Size", "number"], ["Actions", "act"]], past.items.map((entry, index) => [
          [versionName(entry), el("br"), time(entry.time)], acts(entry.what),
          [who(entry.author), entry.device && [" on ", said(entry.device)]],
          entry.what.includes("deleted") ? "" : size(entry.size),
          entry.kind === "file" && !entry.what.includes("deleted") && [
            button("Show", () => shown(versionName(entry), `Version ${versionName(entry)}`),
              { "aria-label": `Show version ${versionName(entry)}` }),
            index > 0 && [button("Compare", async () => {
              const isCurrent = filling(view);
              const [then, now] = await Promise.all([read(path, versionName(entry)), read(path)]);
              if (!isCurrent()) return;
              show(view, el("h3", { tabindex: "-1" }, `Version ${versionName(entry)} and now`),
                comparison(then, now, [`version ${versionName(entry)}`, "now"]));
              view.querySelector("h3").focus();
            }, { "aria-label": `Compare version ${versionName(entry)} with now` }),
            button("Restore…", async () => {
              if (await restore(path, versionName(entry))) close();
            }, { "aria-label": `Restore version ${versionName(entry)}` })],
            saving(path, versionName(entry))],
        ])), view];
    });
    look();
  }

  async function rights(path) {
    const reply = await ask("can", { path });
    await tell("What you may do", el("ul", {}, reply.permits.map((permit) =>
      el("li", {}, `${permit.verb}: ${permit.allowed ? "yes" : "no"}. `, sentence(permit.reason)))));
  }

  async function restore(path, version) {
    const request = { path, ...asked(version) };
    const plan = await ask("restore", { ...request, dryRun: true });
    if (plan.total === 0) { say("It is like that already."); return false; }
    const isMeant = await confirm("Restore it?", [
      [name(path), version ? ` becomes version ${version} again, for everyone.`
        : " comes back, for everyone."],
      "The current version stays in the history, so this can be reverted, too.",
      ...plan.problems.map((problem) => sentence(problem.message)),
    ], "Restore");
    if (!isMeant) return false;
    await ask("restore", { ...request, dryRun: false });
    say(`${visible(lastName(path))} is restored.`);
    return true;
  }

  // MARK: Two versions

  async function conflicts(page) {
    const { items } = await ask("conflictList", {});
    if (items.length === 0) {
      return show(page, el("h2", { tabindex: "-1" }, "No file has two versions."));
    }
    show(page, el("h2", { tabindex: "-1" },
      `${count(items.length, "file has", "files have")} two versions`),
    el("p", {}, "Changed by two people, or on two devices. The version that you don't keep moves to "
      + "the recovered files."),
    items.slice(0, 50).map((one) => conflict(one)),
    items.length > 50 && el("p", {}, "More are shown when some of these are settled."));
  }

  function conflict(one) {
    const labels = ["the current file", `the conflict copy, by ${visible(one.who)} on ${visible(one.host)}`];
    const place = el("div", { class: "compared" });
    const keep = (choice, text) => async () => {
      const done = await ask("conflictKeep", { path: one.copy.path, choice });
      say(done.aside ? `${text} The other version is in the recovered files.` : text);
      await look();
    };
    const label = (text) => ({ "aria-label": `${text}: ${lastNameOf(one.of)}` });
    return el("section", { class: "card" }, el("h3", {}, name(one.of)),
      terms([["Current file", one.original ? `${size(one.original.size)}, ${time(one.original.modified)}`
        : "nothing any more"],
      ["Conflict copy", [`${size(one.copy.size)}, by `, said(one.who), " on ", said(one.host),
        `, ${time(one.copy.modified)}`]], ["Yours", one.isMine ? "the conflict copy" : "the current file"]]),
      el("div", { class: "row" },
        button("Compare", async () => {
          show(place, el("p", { class: "soft" }, "Reading both versions…"));
          if (!one.original) return show(place, preview(await read(one.copy.path), labels[1]));
          const [first, second] = await Promise.all([read(one.of), read(one.copy.path)]);
          show(place, comparison(first, second, labels));
        }, label("Compare")),
        button("Keep mine", keep("mine", "Yours is kept."), label("Keep mine")),
        button("Keep theirs", keep("theirs", "Theirs is kept."), label("Keep theirs")),
        button("Keep both", keep("both", "Both stay, under ordinary names."), label("Keep both")),
        one.original?.isFile && one.copy.isFile && button("Merge…", async () => {
          const reply = await ask("conflictMerge", { path: one.copy.path });
          show(place, merging(one, reply));
          place.querySelector("textarea").focus();
        }, label("Merge"))),
      place);
  }

  /** Both versions of a text in one field. The saved text becomes the file. */
  function merging(one, { text, parts, versions }) {
    // A field of the browser has one kind of line ends.
    const isWindows = text.includes("\r\n");
    const input = el("textarea", { rows: "16", spellcheck: "false", dir: "auto", class: "path", value: text });
    return el("div", { class: "wide" },
      el("p", { class: "soft" }, `${count(parts, "part differs", "parts differ")}. Each is between <<<<<<< and `
        + ">>>>>>>, with the lines of the current file first. Edit the text, and remove these marks."),
      form([field("Both versions", input)], "Save merged text", async () => {
        const merged = isWindows ? input.value.replaceAll("\n", "\r\n") : input.value;
        await ask("conflictSave", { path: one.copy.path, versions, text: merged });
        say(`${lastNameOf(one.of)} is merged. The conflict copy is in the recovered files.`);
        await look();
      }));
  }

  const lastNameOf = (path) => visible(lastName(path));

  // MARK: What is gone, or may go

  async function held(page) {
    const { items } = await ask("heldList", { limit: 10000 });
    show(page, el("h2", { tabindex: "-1" }, items.length === 0 ? "There are no pending deletions."
      : "Pending deletions"), items.map((one) => el("section", { class: "card" },
      el("h3", {}, name(one.path)),
      el("p", {}, `${count(one.held.files, "file", "files")} of ${one.held.of} and `
        + `${count(one.held.directories, "folder", "folders")} were deleted here, since `
        + `${time(one.held.since)}. Others still have them.`),
      el("div", { class: "row" },
        button("Restore the files", () => settleHeld(one.path, "heldUndo", context), { class: "main" }),
        button("Delete for everyone…", () => settleHeld(one.path, "heldConfirm", context),
          { class: "danger" })),
      paged("Deleted paths", [["Path"]], one.paths, (path) => [name(below(path, one.path))]))));
  }

  async function deleted(page) {
    const { items, isCut } = await ask("history", { path: mount.path, deletedOnly: true, limit: 10000 });
    show(page, el("h2", { tabindex: "-1" }, "Deleted files"),
      isCut && el("p", {}, "Only the newest are shown."),
      paged("Deleted", [["Name"], ["When"], ["Who"], ["Actions", "act"]], items, (entry) => [
        name(entry.path ? below(entry.path, mount.path) : entry.record), time(entry.time),
        who(entry.author),
        entry.path && button("Restore…", async () => {
          if (await restore(entry.path)) look();
        }, { "aria-label": "Restore " + visible(below(entry.path, mount.path)) }),
      ], "No deleted file is in the kept history."));
  }

  async function rescued(page) {
    const { items } = await ask("rescueList", {});
    const clear = (paths, text) => async () => {
      const isMeant = await confirm("Delete it permanently?", [text, "There is no other copy of a version "
        + "that only was here."], "Delete");
      if (!isMeant) return;
      await ask("rescueClear", { paths });
      say("Deleted.");
      await look();
    };
    show(page, el("h2", { tabindex: "-1" }, items.length === 0 ? "There are no recovered files."
      : "Recovered files"),
    paged("Recovered", [["Original path"], ["Why"], ["Size", "number"], ["Actions", "act"]], items, (entry) => [
      name(entry.rescued.of), [sentence(entry.rescued.reason), el("br"), time(entry.rescued.time)],
      size(entry.size), [
        button("Show", async () => tell(name(lastName(entry.rescued.of)),
          preview(await read(entry.rescued.path), "The recovered file")),
        { "aria-label": "Show " + lastNameOf(entry.rescued.of) }),
        button("Restore", async () => {
          const done = await ask("rescueRestore", { path: entry.rescued.path });
          say(`It is at ${visible(done.path)}.`);
          await look();
        }, { "aria-label": "Restore " + lastNameOf(entry.rescued.of) }),
        button("Delete…", clear([entry.rescued.path], [name(entry.rescued.of)]),
          { class: "danger", "aria-label": "Delete the recovered " + lastNameOf(entry.rescued.of) })],
    ], "Files that can't stay in a folder are kept here."));
  }

  await turn();
  if (state.open && !isSame(state.open, mount.path)) details(state.open, "file");
  return { changed: () => look(true) };
}
