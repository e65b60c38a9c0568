// Drop boxes: files from anybody with a link, and their owner's decisions.

import { ask } from "./control.js";
import { button, confirm, el, field, form, link, name, said, say, table, who } from "./elements.js";
import { count, lastName, sentence, size, time, visible } from "./words.js";

const states = { complete: "", incomplete: "incomplete", tooLarge: "too large" };

/** The boxes with the files that wait in them, and a form that creates one for a folder. */
export function boxes({ boxes: all, drops }, path, again) {
  if (all.length === 0 && !path) return null;
  const done = async (text) => { say(text); await again(); };
  return el("section", { class: drops.length > 0 ? "card alert" : "card" },
    el("h2", {}, "Drop boxes"),
    el("p", { class: "soft" }, "Anybody with the link of a drop box can send you files, and sees nothing in it. You "
      + "accept or discard each file."),
    all.map((box) => one(box, drops.filter((file) => file.box === box.id), done)),
    path && create(path, done));
}

/** One box. */
function one(box, files, done) {
  const limits = `At most ${count(box.maxFiles, "file", "files")} of ${size(box.maxSize)}.`;
  return el("div", {},
    el("h3", {}, said(box.title)),
    el("p", {}, box.path ? ["Accepted files are put into ", name(box.path), ". "]
      : "Its folder isn't on this device. ", limits, box.until && ` The link ends ${time(box.until)}.`),
    link("Link", box.link),
    files.length > 0 && table("Waiting files", [["File"], ["Size", "number"], ["From"], ["Actions", "act"]],
      files.map((file) => [[said(file.name), states[file.state] && ` (${states[file.state]})`, el("br"),
        time(file.time)], size(file.size), file.from ? who(file.from) : "unknown sender",
      [file.state === "complete" && box.path && button("Accept", async () => {
        const reply = await ask("dropAccept", { drops: [file.id] });
        const problem = reply.problems[0];
        await done([`${visible(lastName(reply.accepted[0].path))} is in the folder.`,
          problem && sentence(problem.message)].filter(Boolean).join(" "));
      }, { class: "main", "aria-label": "Accept " + visible(file.name) }),
      button("Discard", async () => {
        await ask("drops", { act: "discard", drops: [file.id] });
        await done("Discarded.");
      }, { "aria-label": "Discard " + visible(file.name) })]])),
    box.more > 0 && el("p", { class: "warn" }, count(box.more, "more file waits", "more files wait")
      + " beyond the limit. Accept or discard some of these first."),
    el("p", {}, button("End drop box…", async () => {
      const isMeant = await confirm("End the drop box?", [["Its link stops working."
        + (files.length > 0 ? " The files that wait in it are deleted." : "")]], "End");
      if (!isMeant) return;
      await ask("drops", { act: "end", box: box.id });
      await done("The drop box is ended.");
    }, { class: "danger", "aria-label": "End " + visible(box.title) })));
}

/** A form that creates a box for the shown folder. */
function create(path, done) {
  const most = el("input", { type: "number", min: "1", max: "65000", value: "100", required: true });
  const number = el("input", { type: "number", min: "1", max: "10000", value: "20", required: true });
  return form([field("Megabytes of a file", most), field("Waiting files", number)], "Create drop box", async () => {
    await ask("dropCreate", { path, maxSize: Number(most.value) * 1000000, maxFiles: Number(number.value) });
    await done("The drop box is created. Send its link to the people who may put files in.");
  });
}
