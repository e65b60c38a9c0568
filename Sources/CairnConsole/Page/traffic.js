// The traffic with the container: its limits, and stopping it for a while.

import { ask } from "./control.js";
import { button, choice, dialog, el, field, name, say } from "./elements.js";
import { size, time, visible } from "./words.js";

const spans = [["", "I let it go on"], ["3600", "an hour has gone"], ["28800", "8 hours have gone"],
  ["86400", "a day has gone"]];

const pausedSince = (paused) => `since ${time(paused.since)}`
  + (paused.until ? `, until ${time(paused.until)}` : "");

/** Lets the traffic go on, that of one folder's zone or all. */
export const resuming = (share, of) => button("Let it go on", async () => {
  await ask("resume", { share });
  say("It goes on.");
}, { class: "main", "aria-label": `Let it go on: ${of}` });

/** Stops it. */
const pausing = (label, path, of, share) => button(label, async () => {
  const until = choice(spans, "");
  const isMeant = await dialog("Pause?", (close) => [
    el("p", {}, "Nothing is sent and nothing is fetched ", path ? ["for ", name(path)]
      : "for any folder", ". What you change meanwhile is noted, and goes afterwards."),
    field("Until", until),
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
      el("button", { type: "button", class: "main", onclick: () => close(true) }, "Pause")),
  ]);
  if (!isMeant) return;
  await ask("pause", { share, seconds: Number(until.value) || undefined });
  say("Paused.");
}, { "aria-label": `Pause ${of}` });

/** How all of it stands. */
export const traffic = ({ paused, limits } = {}) => [
  paused && el("div", { class: "card alert" },
    el("p", {}, "All traffic with the container is paused ", pausedSince(paused), ". What you change "
      + "is kept here, and goes afterwards."), el("div", { class: "row" }, resuming(undefined, "all traffic"))),
  el("div", { class: "row" }, limits && el("span", { class: "soft" }, "At most ", [
    limits.upload && `${size(limits.upload)} a second are sent`,
    limits.download && `${size(limits.download)} a second are fetched`].filter(Boolean).join(", "), "."),
  !paused && pausing("Pause everything…", undefined, "everything")),
];

/** How that of one folder stands, and the button that changes it. */
export function ofFolder(mount, { paused, folders = [] } = {}) {
  const own = folders.find((one) => visible(one.path) === visible(mount.path))?.paused;
  const title = visible(mount.title);
  if (own) return [el("span", {}, "Paused ", pausedSince(own), "."), resuming({ id: mount.zone }, title)];
  return !paused && pausing("Pause…", mount.path, title, { id: mount.zone });
}
