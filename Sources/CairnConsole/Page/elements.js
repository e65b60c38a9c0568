// What a page is made of. Text becomes text, never markup: there is no other way in here.

import { ask, ControlError } from "./control.js";
import { ago, person, sentence, time, visible } from "./words.js";

/** Makes an element. Properties that begin with `on` are listeners, the others attributes, unless
    they are false or nothing; children are elements, text or nothing. */
export function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (value !== false && value !== undefined && value !== null) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
}

/** Puts these in place of what an element has. */
export function show(element, ...children) {
  element.replaceChildren();
  fill(element, children);
  return element;
}

/** Begins to fill a place. Returns a function that says whether nothing else has begun to fill it
    since: an answer that comes late is dropped. */
export function filling(place) {
  const mine = place.fillings = (place.fillings ?? 0) + 1;
  return () => place.fillings === mine;
}

/** Shows the answer to a question in a place, unless another one was asked there meanwhile. */
export async function answer(place, ask, ...more) {
  const [isCurrent, page] = [filling(place), el("div", {})];
  // Long answers say how far they are.
  if (!place.hasChildNodes()) show(place, page);
  await ask(page, ...more);
  if (!isCurrent()) return;
  show(place, page);
  page.querySelector("h2[tabindex]")?.focus();
}

/** A time as people say it, with the exact one to read. */
export const moment = (text) => el("time", { datetime: text, title: time(text) }, ago(text));

const labelOf = (element) => element.ariaLabel ?? element.labels?.[0]?.textContent
  ?? element.textContent;

/** Fills a part of the page anew, and leaves the focus where it was; if what had it has gone, the
    part's heading gets it. */
export function renew(place, ...children) {
  const focused = place.contains(document.activeElement) ? document.activeElement : undefined;
  const label = focused && labelOf(focused);
  // What a person unfolded stays so.
  const unfolded = [...place.querySelectorAll("[aria-expanded=true]")].map(labelOf);
  show(place, ...children);
  for (const one of place.querySelectorAll("[aria-expanded=false]")) {
    if (unfolded.includes(labelOf(one))) one.setAttribute("aria-expanded", "true");
  }
  // What has the focus in a dialog keeps it, whatever happens below.
  const above = [...document.querySelectorAll("dialog[open]")].at(-1);
  if (!focused || (above && !above.contains(place))) return;
  const same = [...place.querySelectorAll("button, a, select, input, [tabindex='0']")]
    .find((one) => one.tagName === focused.tagName && labelOf(one) === label);
  (same ?? place.querySelector("[tabindex='-1']") ?? document.querySelector("h1")).focus();
}

/** A name or a path, whatever it holds: it changes nothing around it. */
export const name = (path) => el("bdi", { class: "path", dir: "auto" }, visible(path));

/** Text that is escaped already. */
export const apart = (text) => el("bdi", { dir: "auto" }, text);

/** Text that somebody chose. */
export const said = (text) => apart(visible(text));

/** Somebody. */
export const who = (somebody) => apart(person(somebody));

let timer;
/** Says what has happened, also to who doesn't see it. */
export function say(text) {
  const place = document.querySelector("#said");
  // Over a dialog nothing else is shown.
  (document.querySelector("dialog[open]") ?? document.body).append(place);
  place.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { place.textContent = ""; }, 8000);
}

/** What went wrong, and what to do now. */
export function failure(error) {
  if (!(error instanceof ControlError)) throw error;
  return el("p", { class: "bad", role: "alert" }, sentence(error.message), " ",
    el("span", { class: "soft" }, sentence(error.remedy)));
}

/** A button that does something that takes a while; what goes wrong is told beside it. */
export function button(label, act, properties = {}) {
  const element = el("button", { type: "button", ...properties, onclick: async () => {
    element.parentElement?.querySelector(":scope > [role=alert]")?.remove();
    // Not `disabled`, which would take the focus away.
    if (element.getAttribute("aria-disabled") === "true") return;
    element.setAttribute("aria-disabled", "true");
    try { await act(element); } catch (error) { element.after(failure(error)); } finally {
      element.removeAttribute("aria-disabled");
    }
  } }, label);
  return element;
}

/** A field with its label. */
export const field = (label, input) => el("label", {}, label, input);

/** A choice among words. `options` are pairs of a value and what it is called. */
export const choice = (options, chosen, properties = {}) => {
  const select = el("select", properties, options.map(([value, text]) =>
    el("option", { value, selected: value === chosen }, text)));
  return select;
};

/** A form; `act` is called when it is sent. */
export function form(children, label, act, properties = {}) {
  const send = el("button", { class: "main" }, label);
  const element = el("form", { class: "row end", ...properties, onsubmit: async (event) => {
    event.preventDefault();
    element.nextElementSibling?.matches("[role=alert]") && element.nextElementSibling.remove();
    if (send.disabled) return;
    send.disabled = true;
    try { await act(element); } catch (error) { element.after(failure(error)); } finally {
      send.disabled = false;
    }
  } }, children, send);
  return element;
}

/** A button that shows and hides what follows it. */
function toggle(label, properties) {
  const element = el("button", { type: "button", "aria-expanded": "false", ...properties, onclick: () =>
    element.setAttribute("aria-expanded", String(element.getAttribute("aria-expanded") !== "true")) }, label);
  return element;
}

/** Things that are rarely needed, behind a button. `of` makes its name unique. */
export const more = (label, of, ...children) => el("div", { class: "more" },
  toggle(label, { "aria-label": `${label}: ${of}` }), el("div", { class: "unfolded" }, children));

/** A table. Columns are pairs of a heading and a class. On a narrow screen each row is a card, and
    several actions are in a menu. */
export function table(caption, columns, rows) {
  const row = (cells) => {
    const line = el("tr", {}, cells.map((cell, index) => {
      const [label, kind] = columns[index];
      const isMenu = kind === "act" && [cell].flat(Infinity).filter(Boolean).length > 1;
      return el("td", { class: kind ?? false, "data-label": label }, el("span", { class: "cell" },
        isMenu ? [toggle("Actions", { class: "toggle" }), el("span", { class: "unfolded" }, cell)]
          : cell));
    }));
    line.querySelector(".toggle")?.setAttribute("aria-label",
      "Actions: " + line.cells[0].textContent.slice(0, 80));
    return line;
  };
  return el("div", { class: "table", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, columns.map(([title, kind]) =>
        el("th", { scope: "col", class: kind ?? false }, title)))),
      el("tbody", {}, rows.map(row))));
}

/** A long table, of which a page is shown: ten thousand rows cost no more than a hundred. */
export function paged(caption, columns, items, row, empty = "There is nothing here.") {
  const [length, place] = [100, el("div", {})];
  function turn(start, focus) {
    if (items.length === 0) return show(place, el("p", { class: "soft" }, empty));
    const end = Math.min(start + length, items.length);
    const all = items.length.toLocaleString("en");
    const which = items.length > length ? `, ${start + 1} to ${end} of ${all}` : "";
    const turns = items.length > length && el("div", { class: "row" },
      el("button", { type: "button", disabled: start === 0, onclick: () => turn(start - length, 0) },
        "Previous page"),
      el("button", { type: "button", disabled: end === items.length, onclick: () =>
        turn(start + length, 1) }, "Next page"));
    show(place, table(caption + which, columns, items.slice(start, end).map(row)), turns);
    if (focus !== undefined) {
      const wanted = turns.querySelectorAll("button")[focus];
      (wanted.disabled ? turns.querySelector("button:enabled") : wanted).focus();
      say(`${caption}${which}`);
    }
    return place;
  }
  return turn(0);
}

/** A table that shows the first ten rows, and a button for the others. `state.isOpen` is kept by its
    owner, so that a new answer doesn't fold it again. */
export function folded(caption, columns, items, row, state) {
  const [length, place] = [10, el("div", {})];
  function fill() {
    const isCut = !state.isOpen && items.length > length;
    show(place, table(caption, columns, (isCut ? items.slice(0, length) : items).map(row)),
      isCut && el("button", { type: "button", onclick: () => {
        state.isOpen = true;
        fill();
        place.querySelector(".table").focus();
      } }, `Show all ${items.length.toLocaleString("en")}`));
    return place;
  }
  return fill();
}

/** Terms and what they stand for. */
export const terms = (pairs) => el("dl", {}, pairs.filter(([, value]) =>
  value !== undefined && value !== null && value !== "" && value !== false).map(([term, value]) =>
  [el("dt", {}, term), el("dd", {}, value)]));

/** A dialog with a title. `make` gets a function that closes it, and returns what is in it.
    Returns what it was closed with. */
export function dialog(title, make) {
  return new Promise((resolve) => {
    const box = el("dialog", { "aria-labelledby": "dialog-title", onclose: () => {
      document.body.append(document.querySelector("#said"));
      box.remove();
      resolve(box.answer);
    } });
    const close = (answer) => { box.answer = answer; box.close(); };
    fill(box, [el("h2", { id: "dialog-title" }, title), make(close)]);
    document.body.append(box);
    box.showModal();
  });
}

/** Says what would be done, and asks. Returns whether to do it. */
export const confirm = (title, what, label, kind = "danger") => dialog(title, (close) => [
  [what].flat().map((line) => line && el("p", {}, line)),
  el("div", { class: "row" },
    el("button", { type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
    el("button", { type: "button", class: kind, onclick: () => close(true) }, label)),
]);

/** Shows something to read, with a button to close it. */
export const tell = (title, ...children) => dialog(title, (close) => [
  children, el("div", { class: "row" },
    el("button", { type: "button", onclick: () => close() }, "Close"))]);

/** A text as a QR code. */
export async function code(text, label) {
  const { rows } = await ask("qrCode", { text });
  const [margin, square] = [4, 5];
  const width = (rows.length + 2 * margin) * square;
  const picture = el("canvas", { width, height: width, role: "img", "aria-label": label });
  const pen = picture.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, width);
  pen.fillStyle = "#000";
  rows.forEach((row, y) => [...row].forEach((one, x) => one === "1"
    && pen.fillRect((x + margin) * square, (y + margin) * square, square, square)));
  return picture;
}

/** A secret to hand on, with a button that copies it. */
export function copyable(label, text, ...actions) {
  const input = el("input", { readonly: true, size: "60", value: text, class: "path" });
  return el("div", { class: "row end" }, field(label, input),
    button("Copy", async () => {
      input.select();
      try {
        await navigator.clipboard.writeText(text);
        say("Copied.");
      } catch { say("Press Ctrl+C to copy what is marked."); }
    }), actions);
}

/** A link to hand on, which is also shown as a QR code. */
export const link = (label, text) => copyable(label, text, button("Show a QR code",
  async (element) => element.replaceWith(await code(text, "The link as a QR code"))));
