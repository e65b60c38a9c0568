// Selective sync: the part of a folder that this device has, as a tree with sizes.

import { ask, ControlError } from "./control.js";
import { dialog, el, failure, name, said, say, show } from "./elements.js";
import { bytes, count, isInside, lastName, size, visible } from "./words.js";

/** Lets a person choose. Returns whether something was changed. */
export async function selecting(mount) {
  // The paths that are to be decided otherwise than now.
  const changed = new Map();
  const total = el("p", { role: "status" });

  function tell() {
    const sum = (isWanted) => [...changed.values()].filter((one) => one.isWanted === isWanted)
      .reduce((all, one) => all + one.bytes, 0);
    total.textContent = changed.size === 0 ? "" : `Fetches ${size(sum(true))}, and frees ${size(sum(false))} `
      + "on this device.";
  }

  /** Fills a list with what is in a directory. */
  async function fill(place, path) {
    const reply = await ask("select", { path: mount.path, list: path });
    const choices = (reply.list ?? []).map((one) => ({ ...one, label: visible(lastName(one.path)) }))
      .sort((left, right) => right.directory - left.directory || (left.label < right.label ? -1 : 1));
    show(place, choices.map(row));
    if (choices.length === 0) place.before(el("p", { class: "soft" }, "The folder is empty."));
  }

  function row(one) {
    const below = el("ul", { class: "choices" });
    const box = el("input", { type: "checkbox", checked: one.selected,
      onchange: () => {
        box.indeterminate = false;
        // What is below follows.
        for (const [key, other] of changed) if (isInside(other.path, one.path)) changed.delete(key);
        if (box.checked !== one.selected || one.partly) {
          changed.set(bytes(one.path), { path: one.path, isWanted: box.checked, bytes: one.bytes });
        }
        below.replaceChildren();
        if (open) open.setAttribute("aria-expanded", "false");
        tell();
      } });
    box.indeterminate = one.partly;
    const open = one.directory && el("button", { type: "button", class: "name", "aria-expanded": "false",
      "aria-label": "Contents of " + one.label, onclick: async () => {
        const isOpen = open.getAttribute("aria-expanded") === "true";
        open.setAttribute("aria-expanded", String(!isOpen));
        if (isOpen) return below.replaceChildren();
        try { await fill(below, one.path); } catch (error) {
          if (!(error instanceof ControlError)) throw error;
          show(below, el("li", {}, failure(error)));
        }
      } }, "contents");
    return el("li", {}, el("div", { class: "row" }, el("label", { class: "inline" }, box, name(lastName(one.path)),
      el("span", { class: "soft" }, one.directory ? `${count(one.files, "file", "files")}, ${size(one.bytes)}`
        : size(one.bytes))), open), below);
  }

  const top = el("ul", { class: "choices", tabindex: "0", "aria-label": "Contents" });
  await fill(top, mount.path);
  const isMeant = await dialog(["What this device has of ", said(mount.title)], (close) => [
    el("p", {}, "What you deselect is removed from this device only, once everything is sent. Others keep it, "
      + "and you can fetch it again."),
    top, total,
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
      el("button", { type: "button", class: "main", onclick: () => close(true) }, "Apply")),
  ]);
  if (!isMeant || changed.size === 0) return false;
  for (const [change, isWanted] of [["with", true], ["without", false]]) {
    const paths = [...changed.values()].filter((one) => one.isWanted === isWanted).map((one) => one.path);
    if (paths.length > 0) await ask("select", { path: mount.path, change, paths });
  }
  say("The selection is changed.");
  return true;
}
