// The page as a whole: it comes in, shows one section after the other, and keeps it as the daemon's
// events say that things are.

import * as activity from "./activity.js";
import * as advanced from "./advanced.js";
import { ask, Closed, ControlError, enter, findContainers, follow, showContainer } from "./control.js";
import { choice, el, failure, said, say, show } from "./elements.js";
import * as devices from "./devices.js";
import * as files from "./files.js";
import * as folders from "./folders.js";
import * as people from "./people.js";
import * as settings from "./settings.js";
import * as storage from "./storage.js";
import { sentence } from "./words.js";

const sections = { folders, people, activity, files, devices, storage, settings, advanced };
const main = document.querySelector("main");
const menu = document.querySelector("#menu");
let shown;
let leaving = new AbortController();

/** What every section gets: how all stands, and the ways to look again and to go elsewhere. */
const context = {
  status: undefined,
  /** Says when the section is left that is shown. */
  left: undefined,
  /** Asks how all stands. */
  async look() {
    context.status = await ask("status");
    return context.status;
  },
  /** Goes to a section; `state` says what is wanted there. */
  go(name, state) {
    context.state = state;
    if (location.hash === "#/" + name) open(true);
    else location.hash = "#/" + name;
  },
};

/** What the section that is shown asks for as long as it is shown ends. */
function leave() {
  leaving.abort();
  leaving = new AbortController();
  context.left = leaving.signal;
}

function ended(error) {
  leave();
  shown = undefined;
  document.querySelector("nav").hidden = true;
  show(main, el("h1", { tabindex: "-1" }, "The console is closed"),
    el("p", { role: "alert" }, sentence(error.message)), el("p", {}, sentence(error.remedy)));
  main.querySelector("h1").focus();
}

async function open(isMove) {
  leave();
  const { left } = context;
  const wanted = location.hash.replace(/^#\//, "");
  const name = sections[wanted] ? wanted : "folders";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#/" + name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const state = context.state;
  context.state = undefined;
  const title = sections[name].title;
  document.title = `${title} – Cairn`;
  menu.setAttribute("aria-expanded", "false");
  const place = el("div", {});
  show(main, el("h1", { tabindex: "-1" }, title), place);
  if (isMove) main.querySelector("h1").focus();
  const opened = { changed() {} };
  shown = opened;
  try {
    await context.look();
    if (left.aborted) return;
    Object.assign(opened, await sections[name].open(place, context, state ?? {}));
  } catch (error) {
    told(error, place);
  }
}

function told(error, place) {
  if (error instanceof Closed) return ended(error);
  if (error instanceof ControlError) return show(place, failure(error));
  throw error;
}

let isLooking = false;
let isStale = false;
/** Looks again after an event; many events are one look. */
async function changed(event) {
  isStale = true;
  if (isLooking) return;
  isLooking = true;
  await new Promise((resolve) => setTimeout(resolve, 200));
  while (isStale && shown) {
    isStale = false;
    try {
      await context.look();
      await shown?.changed(event);
    } catch (error) {
      if (error instanceof Closed) ended(error);
      else if (!(error instanceof ControlError)) throw error;
    }
  }
  isLooking = false;
}

/** What people want to know wherever they are. */
const news = {
  "invitation.received": "An invitation arrived.", "request.received": "A person asks for access.",
  "deletions.held": "Many deletions wait for your confirmation.", "conflict": "Two people changed one file.",
  "share.revoked": "You were removed from a share.", "share.stopped": "A share was ended.",
  "share.rights": "Your part in a share changed.", "share.claimed": "A claim to a share's ownership changed.",
  "changes.many": "A device changed very many files.", "container.lost": "The container went away.",
  "container.found": "The container is back.",
};

/** Begins where `cairn console --show` says: in a section, or a part of that of files. */
function begin({ section, path, isFolder }) {
  const name = sections[section] ? section : "files";
  history.replaceState(null, "", "/#/" + name);
  context.state = name === section && name === "files" && !isFolder
    ? { open: path } : { path, tab: section };
}

/** Lets the person choose a container, in a home with several. */
function showChoice({ name, all }) {
  const place = document.querySelector("#container");
  place.hidden = all.length < 2;
  if (place.hidden) return;
  const select = choice(all.map((container) => [container.name, container.name]), name,
    { "aria-label": "Container" });
  select.addEventListener("change", () => showContainer(select.value));
  show(place, select);
}

async function start() {
  try {
    const wanted = await enter();
    showChoice(await findContainers(wanted?.path));
    await context.look();
    if (wanted) begin(wanted);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return ended(error);
  }
  show(document.querySelector("#sections"), Object.entries(sections).map(([name, section]) =>
    el("li", {}, el("a", { href: "#/" + name }, section.title))));
  const { account } = context.status;
  show(document.querySelector("#me"), account
    ? [said(account.name), " on ", said(account.deviceName)] : "anonymous");
  addEventListener("hashchange", () => open(true));
  document.querySelector("#sections").addEventListener("click", () =>
    menu.setAttribute("aria-expanded", "false"));
  menu.addEventListener("click", () =>
    menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true")));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  await open(false);
  follow((event) => {
    if (news[event.kind]) say(news[event.kind]);
    changed(event);
  }, (isKnown, error) => { if (!isKnown) ended(error); });
}

start();
