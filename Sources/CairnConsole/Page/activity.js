// Activity: who did what, by person, folder and time; and going back to a point in time.

import { ask } from "./control.js";
import { button, choice, el, field, form, name, paged, said, say, show, who } from "./elements.js";
import { keeping } from "./past.js";
import { rewind } from "./trouble.js";
import { below, isInside, person, sentence, size, time, visible } from "./words.js";

export const title = "Activity";

export async function open(place, context, state) {
  const { mounts } = context.status;
  const chosen = state.path && mounts.find((mount) => isInside(state.path, mount.path));
  const folder = choice([["", "all folders"], ...mounts.map((one) => [one.id, visible(one.title)])],
    chosen?.id ?? "");
  const by = el("input", { list: "authors", autocomplete: "off", placeholder: "anybody" });
  const authors = el("datalist", { id: "authors" });
  const since = el("input", { type: "datetime-local", step: "1" });
  const until = el("input", { type: "datetime-local", step: "1" });
  const [list, own] = [el("div", {}), el("div", {})];
  const moment = (input) => input.value ? { time: new Date(input.value).toISOString() } : undefined;

  async function look() {
    const wanted = mounts.filter((mount) => !folder.value || mount.id === folder.value);
    let isCut = false;
    const all = (await Promise.all(wanted.map(async (mount) => {
      const reply = await ask("history", { path: mount.path, deletedOnly: false, limit: 1000,
        by: by.value.trim() || undefined, since: moment(since), until: moment(until) });
      isCut ||= reply.isCut;
      return reply.items.map((entry) => ({ ...entry, mount }));
    }))).flat().sort((left, right) => left.time < right.time ? 1 : -1);
    show(authors, [...new Set(all.map((entry) => entry.author.handle).filter(Boolean))].map((handle) =>
      el("option", { value: handle })));
    show(list, isCut && el("p", { class: "soft" }, "Only the newest thousand of a folder are shown: "
      + "say since and until when."),
    paged("What happened", [["When"], ["Who"], ["What"], ["Where"], ["Act", "act"]], all, (entry) => [
      time(entry.time), [who(entry.author), entry.device && [el("br"), said(entry.device)]],
      entry.what.join(", "),
      [name(entry.path ? below(entry.path, entry.mount.path) || "/" : entry.record),
        entry.from && [el("br"), "was ", name(below(entry.from, entry.mount.path))],
        !folder.value && [el("br"), el("span", { class: "soft" }, said(entry.mount.title))],
        entry.kind === "file" && !entry.what.includes("deleted") ? `, ${size(entry.size)}` : ""],
      [entry.path && button("File", () => context.go("files", { open: entry.path }),
        { "aria-label": "Show the file of entry " + entry.version }),
      button("Back to before…", () => rewind(entry.mount.path, { place: entry.version - 1, zone: entry.zone },
        {}, context), { "aria-label": `Go back to before entry ${entry.version}` })],
    ], "Nothing happened there, as far as the history is kept."));
    const events = [];
    await ask("events", { follow: false }, { onUpdate: ({ event }) => events.push(event) });
    show(own, el("h2", {}, "What this device did since the daemon started"),
      paged("Events", [["When"], ["What"], ["Where"]], events.reverse(), (event) =>
        [time(event.time), [visible(event.kind), ": ", sentence(event.text)],
          event.path ? name(event.path) : ""], "Nothing yet."));
  }

  const when = el("input", { type: "datetime-local", step: "1", required: true });
  const where = choice(mounts.map((one) => [one.id, visible(one.title)]), chosen?.id);
  const only = el("input", { list: "authors", autocomplete: "off", placeholder: "anybody" });
  show(place, authors, form([field("Folder", folder), field("By", by), field("Since", since),
    field("Until", until)], "Show", look), list,
  mounts.length > 0 && el("section", { class: "card" }, el("h2", {}, "Go back to a point in time"),
    form([field("Folder", where), field("As it was", when), field("Only what was done by", only)],
      "See what would change", () => rewind(mounts.find((one) => one.id === where.value).path,
        moment(when), { by: only.value.trim() || undefined }, context)),
    el("p", {}, button("What is kept of the past…", () =>
      keeping(mounts.find((one) => one.id === where.value))))), own);
  await look();
  let isNew = false;
  return { async changed() {
    // A list that somebody reads doesn't move under their eyes.
    if (!place.contains(document.activeElement) && scrollY < 200) return look();
    if (!isNew) say("Something happened; Show has it.");
    isNew = true;
  } };
}
