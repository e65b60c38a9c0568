// The picker: a folder of this machine, chosen by clicks, or by typing its path.

import { ask, ControlError } from "./control.js";
import { dialog, el, failure, field, filling, name, show } from "./elements.js";
import { bytes, count, inside, isSame, lastName, parent, visible, way } from "./words.js";

/** More directories aren't shown at once. */
const most = 200;

/** Lets a person choose a folder of their home, or type any path. Returns the path, or nothing. */
export async function pick(title, label, context) {
  const first = await ask("directories");
  const { home } = first;
  let chosen = home;
  let listed = first;
  let words = "";
  // The directory whose names complete what is typed.
  let above = home;
  let isHiddenShown = false;
  const input = el("input", { size: "40", autocomplete: "off", spellcheck: "false", autofocus: true,
    value: visible(home) });
  const place = el("div", {});
  const steps = el("nav", { "aria-label": "Folders on the way" });
  const isMirrored = (path) => context.status.mounts.some((mount) => isSame(mount.path, path));
  const isHidden = (entry) => bytes(entry).startsWith(".");
  const matches = () => listed.names.filter((entry) =>
    visible(entry).toLowerCase().startsWith(words.toLowerCase()));

  function draw() {
    const found = matches();
    const isAll = isHiddenShown || words.startsWith(".");
    const shown = isAll ? found : found.filter((entry) => !isHidden(entry));
    const hidden = found.length - shown.length;
    const step = (path) => el("button", { type: "button", class: "name",
      onclick: () => go(path, true) }, isSame(path, home) ? "Home" : name(lastName(path)));
    const ways = way(listed.path, home);
    show(steps, el("ol", { class: "crumbs" }, ways.map((path, index) => el("li", {},
      index === ways.length - 1 ? el("span", { "aria-current": "location" },
        isSame(path, home) ? "Home" : name(lastName(path))) : step(path)))));
    show(place, el("ul", { class: "choices", tabindex: "0", "aria-label": "Folders" },
      shown.slice(0, most).map((entry) => {
        const path = inside(listed.path, entry);
        return el("li", {}, el("button", { type: "button", class: "name", onclick: () => go(path, true) },
          name(entry)), isMirrored(path) && el("span", { class: "soft" }, " synced"));
      })),
    shown.length === 0 && el("p", { class: "soft" }, words ? "No folder begins with this."
      : "There is no folder in it."),
    (shown.length > most || listed.isCut) && el("p", { class: "soft" },
      "There are more. Type the beginning of a name."),
    hidden > 0 && el("button", { type: "button", onclick: () => {
      isHiddenShown = true;
      draw();
    } }, `Show ${count(hidden, "hidden folder", "hidden folders")}`));
  }

  /** Lists a directory; `isChosen` says whether it becomes the chosen one. */
  async function go(path, isChosen) {
    const isCurrent = filling(place);
    if (isChosen) {
      [chosen, above, words] = [path, path, ""];
      input.value = visible(path);
    }
    try {
      const reply = await ask("directories", { path });
      if (!isCurrent()) return;
      listed = reply;
      draw();
    } catch (error) {
      if (!isCurrent()) return;
      if (!(error instanceof ControlError)) throw error;
      if (isChosen) show(place, failure(error));
      else show(place, el("p", { class: "soft" }, error.remedy));
    }
    if (isChosen) input.focus();
  }

  /** Follows what is typed: its last part filters the directories of what is before it. */
  async function typed() {
    const text = input.value.replace(/^~(?=\/|$)/, () => visible(home));
    chosen = text.replace(/(.)\/+$/, "$1");
    above = text.endsWith("/") ? chosen : parent(text) || "/";
    words = text.endsWith("/") ? "" : visible(lastName(text));
    if (isSame(above, listed.path)) draw();
    else await go(above, false);
  }

  input.addEventListener("input", typed);
  draw();
  return dialog(title, (close) => [
    el("form", { class: "wide", onsubmit: (event) => {
      event.preventDefault();
      const found = matches();
      // Enter completes the only name that begins so.
      if (words && found.length === 1 && isSame(above, listed.path)
        && visible(found[0]) !== words) go(inside(listed.path, found[0]), true);
      else close(chosen);
    } }, field("Folder", input), steps, place,
    el("div", { class: "row" },
      el("button", { type: "button", onclick: () => close() }, "Cancel"),
      el("button", { class: "main" }, label))),
  ]);
}
