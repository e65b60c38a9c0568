// Two versions beside each other: text as its differences, pictures as pictures.

import { content } from "./control.js";
import { button, el, say } from "./elements.js";
import { lastName, size, visible } from "./words.js";

/** Files longer than this are saved, not shown; in bytes. */
const shownLimit = 2 << 20;
const savedLimit = 512 << 20;

const signatures = [
  ["image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]],
  ["image/jpeg", [0xFF, 0xD8, 0xFF]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
];

/** The type of a picture, by its first bytes alone; nothing for all else. */
export function pictureType(bytes) {
  const begins = (start, at = 0) => start.every((byte, index) => bytes[at + index] === byte);
  if (begins([0x52, 0x49, 0x46, 0x46]) && begins([0x57, 0x45, 0x42, 0x50], 8)) return "image/webp";
  return signatures.find(([, start]) => begins(start))?.[0];
}

function text(bytes) {
  if (bytes.includes(0)) return undefined;
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return undefined; }
}

/** Reads what is to be shown of a file; nothing where there is no version. */
export const read = (path, version) => content(path, { version, limit: 24 << 20 });

/** A file for the eye. */
export function preview({ bytes, isWhole }, label) {
  const type = pictureType(bytes);
  if (type && isWhole) {
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    return el("img", { src: url, alt: label, onload: () => URL.revokeObjectURL(url) });
  }
  const start = bytes.subarray(0, shownLimit);
  const words = text(isWhole ? start : start.subarray(0, start.lastIndexOf(10) + 1));
  if (words === undefined || !isWhole && bytes.length === 0) {
    return el("p", { class: "soft" }, "It is neither text nor a picture that can be shown here.");
  }
  return el("pre", { tabindex: "0", role: "region", "aria-label": label, dir: "auto" },
    words === "" ? "(empty)" : escapedLines(words));
}

/** Lines whose control characters can be seen. */
const escapedLines = (words) => words.split("\n").map((line) => visible(line)
  .replaceAll("\\\\", "\\").replaceAll("\\t", "\t")).join("\n");

/** How two versions differ. */
export function comparison(left, right, labels) {
  const words = [left, right].map((side) =>
    side.isWhole && side.bytes.length <= shownLimit && !pictureType(side.bytes)
      ? text(side.bytes) : undefined);
  if (words.some((word) => word === undefined)) {
    return el("div", { class: "sides" }, [left, right].map((side, index) =>
      el("figure", {}, preview(side, labels[index]), el("figcaption", {}, labels[index]))));
  }
  const lines = words.map((word) => escapedLines(word).split("\n"));
  const changes = difference(lines[0], lines[1]);
  if (changes.every(([mark]) => mark === " ")) return el("p", {}, "The two are equal.");
  const legend = el("p", {}, "− is ", labels[0], el("br"), "+ is ", labels[1]);
  return [legend, el("pre", { tabindex: "0", role: "region", dir: "auto",
    "aria-label": `Differences: minus is ${labels[0]}, plus is ${labels[1]}` },
  around(changes).map(([mark, line]) => mark === " " || mark === "…" ? `${mark} ${line}\n`
    : el("span", { class: mark === "+" ? "added" : "removed" }, `${mark} ${line}`)))];
}

/** Of the lines that both have only those near others. */
function around(changes) {
  const near = changes.map((_, at) => changes.slice(Math.max(0, at - 3), at + 4)
    .some(([mark]) => mark !== " "));
  const kept = [];
  changes.forEach((change, at) => {
    if (near[at]) kept.push(change);
    else if (near[at - 1] || at === 0) kept.push(["…", ""]);
  });
  return kept;
}

/** The longest common lines by Myers' way, for as many differences as stay quick; beyond that the
    middle is all of one and all of the other. */
export function difference(left, right) {
  let [start, end] = [0, 0];
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start += 1;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const middle = edits(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const same = (line) => [" ", line];
  return [...left.slice(0, start).map(same), ...middle,
    ...(end ? left.slice(-end) : []).map(same)];
}

function edits(left, right) {
  const trail = [];
  const reach = new Map([[1, 0]]);
  for (let cost = 0; cost <= 1500; cost += 1) {
    trail.push(new Map(reach));
    for (let line = -cost; line <= cost; line += 2) {
      const isDown = line === -cost || line !== cost && reach.get(line - 1) < reach.get(line + 1);
      let x = isDown ? reach.get(line + 1) : reach.get(line - 1) + 1;
      while (x < left.length && x - line < right.length && left[x] === right[x - line]) x += 1;
      reach.set(line, x);
      if (x >= left.length && x - line >= right.length) return back(trail, left, right);
    }
    if (cost * cost > 2_000_000) break;
  }
  return [...left.map((line) => ["-", line]), ...right.map((line) => ["+", line])];
}

function back(trail, left, right) {
  let [x, y] = [left.length, right.length];
  const found = [];
  for (let cost = trail.length - 1; x > 0 || y > 0; cost -= 1) {
    const reach = trail[cost];
    const line = x - y;
    const isDown = line === -cost || line !== cost && reach.get(line - 1) < reach.get(line + 1);
    const from = cost === 0 ? 0 : reach.get(isDown ? line + 1 : line - 1);
    const fromY = cost === 0 ? 0 : from - (isDown ? line + 1 : line - 1);
    while (x > from && y > fromY) { found.push([" ", left[x - 1]]); x -= 1; y -= 1; }
    if (cost === 0) break;
    if (isDown) { found.push(["+", right[y - 1]]); y -= 1; }
    else { found.push(["-", left[x - 1]]); x -= 1; }
  }
  return found.reverse();
}

/** A button that saves a file where the browser saves files. Its bytes never are a page. */
export const saving = (path, version) => button("Save", async () => {
  const { bytes, isWhole } = await content(path, { version, limit: savedLimit });
  if (!isWhole) return say(`It is longer than ${size(savedLimit)}: use \`cairn show\`.`);
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  el("a", { href: url, download: visible(lastName(path)) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}, { "aria-label": "Save " + visible(lastName(path)) + (version ? `, version ${version}` : "") });
