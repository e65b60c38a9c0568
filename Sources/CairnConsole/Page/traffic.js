// The traffic with the container: its limits, and stopping it for a while.

import { ask } from "./control.js";
import { button, choice, dialog, el, field, name, say } from "./elements.js";
import { size, time, visible } from "./words.js";

const spans = [["", "I resume it"], ["3600", "in an hour"], ["28800", "in 8 hours"], ["86400", "in a day"]];

const pausedSince = (paused) => `since ${time(paused.since)}`
  + (paused.until ? `, until ${time(paused.until)}` : "");

/** Resumes the traffic of one folder's zone, or all of it. */
export const resuming = (share, of) => button("Resume", async () => {
  await ask("resume", { share });
  say("Resumed.");
}, { class: "main", "aria-label": `Resume: ${of}` });

/** Stops it. */
const pausing = (label, path, of, share) => button(label, async () => {
  const until = choice(spans, "");
  const isMeant = await dialog("Pause?", (close) => [
    el("p", {}, "Nothing is sent and nothing is fetched ", path ? ["for ", name(path)]
      : "for any folder", ". Changes are sent afterwards."),
    field("Until", until),
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
      el("button", { type: "button", class: "main", onclick: () => close(true) }, "Pause")),
  ]);
  if (!isMeant) return;
  await ask("pause", { share, seconds: Number(until.value) || undefined });
  say("Paused.");
}, { "aria-label": `Pause ${of}` });

/** The button that stops all of it. */
export const pausingAll = () => pausing("Pause everything…", undefined, "everything");

/** How all of it stands. */
export const traffic = ({ paused, limits } = {}) => [
  paused && el("div", { class: "card alert" },
    el("p", {}, "All traffic with the container is paused ", pausedSince(paused), ". Your changes "
      + "are kept here, and are sent afterwards."), el("div", { class: "row" }, resuming(undefined, "all traffic"))),
  limits && el("p", { class: "soft" }, "Limits: ", [
    limits.upload && `upload ${size(limits.upload)}/s`,
    limits.download && `download ${size(limits.download)}/s`].filter(Boolean).join(", "),
    limits.active ? "." : " (not now)."),
];

/** How that of one folder stands, and the button that changes it. */
export function ofFolder(mount, { paused, folders = [] } = {}) {
  const own = folders.find((one) => visible(one.path) === visible(mount.path))?.paused;
  const title = visible(mount.title);
  if (own) return [el("span", {}, "Paused ", pausedSince(own), "."), resuming({ id: mount.zone }, title)];
  return !paused && pausing("Pause…", mount.path, title, { id: mount.zone });
}
