// How things are called and shown. Whatever comes from somebody else goes through `visible`: names
// are bytes, and may hold anything.

/** Characters that a screen doesn't show as themselves, or that change the direction of others. */
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Co}]/u;
const short = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

function escaped(text, isName) {
  let shown = "";
  for (const character of text) {
    if (isName && character === "\\") shown += "\\\\";
    else if (short[character]) shown += short[character];
    else if (hiddenCharacters.test(character)) {
      for (const byte of new TextEncoder().encode(character)) {
        shown += "\\x" + byte.toString(16).toUpperCase().padStart(2, "0");
      }
    } else shown += character;
  }
  return shown;
}

/** A name or path as one line: control characters can be seen, as `cairn` shows them. A path that
    isn't UTF-8 comes with a form to show, which is escaped already. */
export function visible(path) {
  if (path === undefined || path === null) return "";
  return typeof path === "string" ? escaped(path, true) : escaped(path.text, false);
}

/** A sentence of the daemon's, in which names are escaped already. */
export function sentence(text) {
  const line = escaped(text ?? "", false);
  return line ? line[0].toUpperCase() + line.slice(1) : line;
}

/** The bytes of a path, one character each. */
export function bytes(path) {
  if (typeof path !== "string") return atob(path.base64);
  return Array.from(new TextEncoder().encode(path), (byte) => String.fromCharCode(byte)).join("");
}

function pathOf(characters) {
  const all = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(all);
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(all);
    return { base64: btoa(characters), text };
  }
}

/** The path that `cairn console --show` wrote, with an escape for each byte that isn't plain. */
export const unescaped = (text) => pathOf(text.replace(/%([0-9a-f]{2})/g,
  (_, digits) => String.fromCharCode(parseInt(digits, 16))));

/** Whether two paths are the same bytes. */
export const isSame = (left, right) => bytes(left) === bytes(right);

/** Whether a path is a folder, or below it. */
export function isInside(path, folder) {
  const [inner, outer] = [bytes(path), bytes(folder)];
  return inner === outer || inner.startsWith(outer + "/");
}

/** The last name of a path. */
export const lastName = (path) => pathOf(bytes(path).split("/").pop());

/** The folder that a path is in. */
export const parent = (path) => pathOf(bytes(path).split("/").slice(0, -1).join("/"));

/** What is left of a path below a folder. */
export const below = (path, folder) => pathOf(bytes(path).slice(bytes(folder).length + 1));

/** The path of a name in a folder. */
export const inside = (folder, name) => pathOf((bytes(folder) === "/" ? "" : bytes(folder)) + "/"
  + bytes(name));

/** Each folder on the way from one to a path, both included. */
export function way(path, folder) {
  const names = bytes(path).slice(bytes(folder).length).split("/").filter(Boolean);
  return [folder, ...names.map((_, index) =>
    pathOf(bytes(folder) + "/" + names.slice(0, index + 1).join("/")))];
}

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** So many bytes, in three digits. */
export function size(count) {
  let [value, unit] = [count ?? 0, 0];
  while (value >= 999.5 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return (unit === 0 || value >= 99.5 ? Math.round(value) : value.toPrecision(value >= 9.95 ? 3 : 2))
    + " " + units[unit];
}

// Made once: to make one takes as long as to write a hundred times with it.
const digits = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** So many things. */
export const count = (number, one, many) =>
  `${digits.format(number ?? 0)} ${number === 1 ? one : many}`;

/** A moment, by this browser's clock and calendar. */
export function time(text) {
  if (!text) return "";
  const date = new Date(text.replace(/(\.\d{3})\d*/, "$1"));
  return Number.isNaN(date.getTime()) ? visible(text) : clock.format(date);
}

/** So many seconds. */
export function span(seconds) {
  if (seconds < 60) return count(Math.max(1, Math.round(seconds)), "second", "seconds");
  if (seconds < 3600) return count(Math.round(seconds / 60), "minute", "minutes");
  return count(Math.round(seconds / 3600), "hour", "hours");
}

/** A span for which something is kept, in the largest unit that divides it. */
export function kept(seconds) {
  const units = [[31536000, "year"], [604800, "week"], [86400, "day"], [3600, "hour"], [1, "second"]];
  const [length, unit] = units.find(([length]) => seconds % length === 0);
  return count(seconds / length, unit, unit + "s");
}

/** How long ago something was, in words; a day and more ago, the time itself. */
export function ago(text, now = Date.now()) {
  const then = new Date((text ?? "").replace(/(\.\d{3})\d*/, "$1")).getTime();
  if (Number.isNaN(then)) return time(text);
  const seconds = (now - then) / 1000;
  if (seconds < 60 && seconds > -60) return "just now";
  if (seconds < 0 || seconds >= 86400) return time(text);
  return seconds < 3600 ? count(Math.floor(seconds / 60), "minute ago", "minutes ago")
    : count(Math.floor(seconds / 3600), "hour ago", "hours ago");
}

/** Somebody, by the name that they gave themselves, the handle and the beginning of the id. */
export function person(who) {
  if (!who) return "unknown person";
  const name = who.name ?? who.handle;
  if (!name) return who.user ? who.user.slice(0, 8) : "unknown person";
  return visible(name) + (who.handle ? ` (${visible(who.handle)})` : "");
}

/** How sure one can be of somebody. */
export function sureness(who) {
  if ((who.claimedBy ?? 1) > 1) return `${who.claimedBy} people claim this handle`;
  return { verified: "verified", "not-verified": "not verified", changed: "changed since you saw them" }[
    who.verification] ?? "";
}

export const permissions = {
  "read-write": "can edit", "read-only": "can view", none: "no access",
};
export const roles = {
  owner: "owner", administrator: "administrator", participant: "participant",
  "by-link": "has the link",
};
export const phases = {
  starting: "starting", scanning: "scanning", sending: "sending", receiving: "receiving",
  idle: "up to date", waiting: "waiting", held: "pending deletions", offline: "offline",
  paused: "paused", detached: "the folder is missing", damaged: "the log is damaged",
};
export const states = {
  synced: "up to date", sending: "sending", receiving: "receiving", problem: "problem",
  conflict: "two versions", held: "pending deletion", ignored: "ignored",
};
/** What happened to a file in a version. */
export const acts = (what) => what.map((one) => one === "made" ? "created" : visible(one)).join(", ");
export const kinds = { file: "file", directory: "folder", symlink: "link" };
export const scopes = { private: "yours", shared: "shared with me", public: "public" };
