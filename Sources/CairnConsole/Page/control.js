// How the page asks the daemon: the operations of cairnd(8), by POST, with lines of JSON as answers.

import { unescaped } from "./words.js";

/** Why something failed: a code, what happened, what to do now. */
export class ControlError extends Error {
  constructor({ code, message, remedy, path, confirm }) {
    super(message);
    Object.assign(this, { code, remedy: remedy ?? "", path, confirm });
  }
}

/** The page isn't known to the daemon, or not any more. */
export class Closed extends ControlError {}

const closed = (message) => new Closed({
  code: "notAuthenticated", message,
  remedy: "Run `cairn console` in a terminal, and open what it says.",
});

/** Exchanges the secret of the address for a token, which this tab alone keeps. The secret goes from
    the address before anything else happens. Behind it may stand what is to be shown, which is
    returned: a section, and a path, which ends with a slash if it is a folder's. */
export async function enter() {
  const [, secret, section, path] =
    /^#([0-9a-f]{64})(?:\/([a-z]+)(\/[A-Za-z0-9/%]*)?)?$/.exec(location.hash) ?? [];
  if (!secret) {
    if (!sessionStorage.getItem("token")) throw closed("This page was opened without its secret.");
    return undefined;
  }
  history.replaceState(null, "", "/#/folders");
  const response = await fetch("/enter", { method: "POST", body: JSON.stringify({ secret }) });
  const line = JSON.parse(await response.text());
  if (line.error) throw new Closed(line.error);
  sessionStorage.setItem("token", line.reply.token);
  return section && { section, path: path && unescaped(path.replace(/\/$/, "")),
    isFolder: path?.endsWith("/") };
}

/** The lines of an answer, as they come. */
async function* lines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
}

/** The container that the page shows, and the containers of the home, of which there may be one. */
const shown = { name: sessionStorage.getItem("container"), all: [] };

/** Finds the containers of the home. The page shows the one that has a path, or the one that was chosen in this tab,
    or the first one that is open. */
export async function findContainers(path) {
  const { containers } = await ask("containerList");
  if (containers.length > 1 && path) {
    try {
      shown.name = (await ask("status", { path })).containerName ?? shown.name;
    } catch (error) {
      // A path that no container has is reported in its section.
      if (!(error instanceof ControlError) || error instanceof Closed) throw error;
    }
  }
  if (!containers.some(({ name }) => name === shown.name)) {
    shown.name = (containers.find(({ problem }) => !problem) ?? containers[0]).name;
  }
  shown.all = containers;
  return shown;
}

/** Shows another container from now on, in this tab. */
export function showContainer(name) {
  sessionStorage.setItem("container", name);
  location.reload();
}

/** Asks for an operation. What comes before the reply goes to `onUpdate`; a list is put together in
    the reply's member `items`. */
export async function ask(operation, request = {}, { onUpdate, signal } = {}) {
  let response;
  try {
    const container = shown.all.length > 1 ? "/container/" + shown.name : "";
    response = await fetch(container + "/v1/" + operation, {
      method: "POST", body: JSON.stringify(request), signal,
      headers: {
        "Authorization": "Bearer " + sessionStorage.getItem("token"),
        "Content-Type": "application/json",
      },
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw closed("The console is closed: the daemon doesn't answer here any more.");
  }
  const items = [];
  try {
    for await (const line of lines(response)) {
      if (line.error) {
        throw response.status === 401 ? new Closed(line.error) : new ControlError(line.error);
      }
      if (line.reply) return Object.assign(line.reply, { items });
      if (line.items) items.push(...line.items);
      onUpdate?.(line);
    }
  } catch (error) {
    if (error instanceof ControlError || signal?.aborted) throw error;
  }
  throw new ControlError({
    code: "interrupted", message: "The connection to the daemon ended before the answer was complete.",
    remedy: "Work continues in the background. Try again when the daemon is running.",
  });
}

/** Calls `onStatus` with how everything stands, and again whenever that is other than it was, until
    `signal` says that nobody looks any more. */
export async function standing(onStatus, signal) {
  while (!signal.aborted) {
    try {
      await ask("statusWatch", {}, { signal, onUpdate: ({ status }) => onStatus(status) });
    } catch (error) {
      // Who follows the events hears that the console is closed.
      if (signal.aborted || error instanceof Closed) return;
      if (!(error instanceof ControlError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Calls `onEvent` with each event from now on, for ever; `onChange` with whether it can be known. */
export async function follow(onEvent, onChange) {
  let since;
  for (let failures = 0; ; failures += 1) {
    try {
      const start = since ?? (await ask("events", { follow: false })).last;
      since = start;
      onChange(true);
      await ask("events", { follow: true, since }, { onUpdate: ({ event }) => {
        since = event.number;
        failures = 0;
        onEvent(event);
      } });
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      if (error instanceof Closed && failures > 2) {
        onChange(false, error);
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 500 * Math.min(8, failures + 1)));
  }
}

/** A version as it is shown: its number, after the beginning of a former zone's id, and before the
    end of the item's id. */
export const versionName = (entry) =>
  (entry.zone ? `${entry.zone.slice(0, 12)}:` : "") + entry.version
    + (entry.several ? `.${entry.record.slice(-12)}` : "");

/** What a request says of a version that was shown so; nothing where there is none. */
export function asked(name) {
  if (name === undefined) return {};
  const [entry, zone] = String(name).split(":").reverse();
  const [number, record] = entry.split(".");
  return { version: Number(number), zone, record };
}

/** The bytes of a file, up to a limit; `isWhole` says whether that is all of it. */
export async function content(path, { version, limit } = {}) {
  const reply = await ask("content", { path, ...asked(version), limit });
  const parts = reply.items.map((piece) =>
    Uint8Array.from(atob(piece), (character) => character.charCodeAt(0)));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length);
  parts.reduce((at, part) => { bytes.set(part, at); return at + part.length; }, 0);
  return { bytes, isWhole: length >= reply.size };
}

/** Puts a file into a folder, piece by piece. Returns its path. */
export async function upload(file, path, onProgress) {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0")).join("");
  const most = 384 * 1024;
  for (let offset = 0; ; offset += most) {
    const bytes = new Uint8Array(await file.slice(offset, offset + most).arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    const isLast = offset + most >= file.size;
    const reply = await ask("upload", { path, id, offset, piece: btoa(text), isLast });
    onProgress(reply.size);
    if (isLast) return reply.path;
  }
}
