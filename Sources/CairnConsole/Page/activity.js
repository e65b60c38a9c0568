// Activity: who did what, by person, folder and time; and going back to a point in time.

import { ask } from "./control.js";
import {
  button, choice, el, field, filling, form, moment, name, paged, said, say, show, who,
} from "./elements.js";
import { keeping } from "./past.js";
import { rewind } from "./trouble.js";
import { acts, below, count, isInside, sentence, size, visible } from "./words.js";

export const title = "Activity";

/** The changes of one commit together, in the order of the newest. */
function commits(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const key = [entry.mount.id, entry.zone ?? "", entry.version].join(" ");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(entry);
  }
  return [...groups.values()];
}

/** What was done in a commit: "created 300 files, deleted 2 files". */
function told(entries) {
  if (entries.length === 1) {
    const [entry] = entries;
    return acts(entry.what)
      + (entry.kind === "file" && !entry.what.includes("deleted") ? `, ${size(entry.size)}` : "");
  }
  const counts = new Map();
  for (const entry of entries) {
    const what = acts(entry.what);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, number]) => `${what} ${count(number, "item", "items")}`).join(", ");
}

/** The names of a commit: the first three, and how many more. */
function places(entries) {
  const named = entries.map((entry) => ({ ...entry,
    name: entry.path ? below(entry.path, entry.mount.path) || "/" : entry.record }))
    .sort((left, right) => visible(left.name) < visible(right.name) ? -1 : 1);
  const shown = named.slice(0, 3).map((entry, index) => [index > 0 && el("br"), name(entry.name),
    entry.from && [" (was ", name(below(entry.from, entry.mount.path)), ")"]]);
  const more = named.length - shown.length;
  return [shown, more > 0 && [el("br"), `and ${more.toLocaleString("en")} more`]];
}

/** A path by the title of its folder. */
function placeOf(path, mounts) {
  const mount = mounts.find((one) => isInside(path, one.path));
  if (!mount) return name(path);
  const rest = below(path, mount.path);
  return [said(mount.title), rest !== "" && [": ", name(rest)]];
}

export async function open(place, context, state) {
  const { mounts } = context.status;
  const chosen = state.path && mounts.find((mount) => isInside(state.path, mount.path));
  const folder = choice([["", "all folders"], ...mounts.map((one) => [one.id, visible(one.title)])],
    chosen?.id ?? "");
  const by = el("input", { list: "authors", autocomplete: "off", placeholder: "everyone" });
  const authors = el("datalist", { id: "authors" });
  const since = el("input", { type: "datetime-local", step: "1" });
  const until = el("input", { type: "datetime-local", step: "1" });
  const [list, own] = [el("div", {}), el("div", {})];
  const chosenTime = (input) => input.value ? { time: new Date(input.value).toISOString() } : undefined;

  async function look() {
    const isCurrent = filling(list);
    const wanted = mounts.filter((mount) => !folder.value || mount.id === folder.value);
    let isCut = false;
    const all = (await Promise.all(wanted.map(async (mount) => {
      const reply = await ask("history", { path: mount.path, deletedOnly: false, limit: 1000,
        by: by.value.trim() || undefined, since: chosenTime(since), until: chosenTime(until) });
      isCut ||= reply.isCut;
      return reply.items.map((entry) => ({ ...entry, mount }));
    }))).flat().sort((left, right) => left.time < right.time ? 1 : -1);
    if (!isCurrent()) return;
    show(authors, [...new Set(all.map((entry) => entry.author.handle).filter(Boolean))].map((handle) =>
      el("option", { value: handle })));
    show(list, isCut && el("p", { class: "soft" }, "Only the newest thousand changes of a folder are "
      + "shown. Filter by time to see others."),
    paged("What happened", [["When", "short"], ["Who"], ["What"], ["Where"], ["Actions", "act"]], commits(all),
      (entries) => {
        const [entry] = entries;
        return [
          moment(entry.time), [who(entry.author), entry.device && [el("br"), said(entry.device)]],
          told(entries), [places(entries),
            !folder.value && [el("br"), el("span", { class: "soft" }, said(entry.mount.title))]],
          [entries.length === 1 && entry.path && button("File", () =>
            context.go("files", { open: entry.path }),
          { "aria-label": "Show the file of version " + entry.version }),
          button("Revert…", () => rewind(entry.mount.path, { place: entry.version - 1,
            zone: entry.zone }, {}, context),
          { "aria-label": `Revert to before version ${entry.version}` })],
        ];
      }, "Nothing happened there in the kept history."));
    const events = [];
    await ask("events", { follow: false }, { onUpdate: ({ event }) => events.push(event) });
    // Show only the end of a transfer, and no changes of phase.
    const ends = events.filter((event) => !event.kind.endsWith(".begin") && event.kind !== "mount.phase")
      .reverse();
    if (!isCurrent()) return;
    show(own, el("h2", {}, "What this device did since the daemon started"),
      paged("Events", [["When", "short"], ["What"], ["Where"]], ends, (event) =>
        [moment(event.time), sentence(event.text),
          event.path ? placeOf(event.path, mounts) : ""], "Nothing yet."));
  }

  const when = el("input", { type: "datetime-local", step: "1", required: true });
  const where = choice(mounts.map((one) => [one.id, visible(one.title)]), chosen?.id);
  const only = el("input", { list: "authors", autocomplete: "off", placeholder: "everyone" });
  show(place, authors, form([field("Folder", folder), field("By", by), field("Since", since),
    field("Until", until)], "Show", look), list,
  mounts.length > 0 && el("section", { class: "card" }, el("h2", {}, "Revert to a point in time"),
    form([field("Folder", where), field("As it was", when), field("Only what was done by", only)],
      "Show changes", () => rewind(mounts.find((one) => one.id === where.value).path,
        chosenTime(when), { by: only.value.trim() || undefined }, context)),
    el("p", {}, button("History policy…", () =>
      keeping(mounts.find((one) => one.id === where.value))))), own);
  await look();
  let isNew = false;
  return { async changed() {
    // A list that somebody reads doesn't move under their eyes.
    if (!place.contains(document.activeElement) && scrollY < 200) return look();
    if (!isNew) say("There is something new: press Show.");
    isNew = true;
  } };
}
