"use strict";
// Shows how the runs get on, and opens the runs that are chosen. All texts become text nodes.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const EVERY = 2000;

function cell(name, ...children) {
  const node = document.createElement("td");
  node.className = name;
  node.append(...children);
  return node;
}
function row([share, link, model, ...cells]) {
  const node = document.createElement("tr");
  const anchor = document.createElement("a");
  anchor.href = link;
  anchor.textContent = model;
  node.append(cell("name", anchor));
  cells.forEach((text, place) => {
    const made = cell(place > 1 && place < 7 ? "n" : "name", text);
    if (place === 2) {
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = share;
      bar.setAttribute("aria-label", text);
      made.append(bar);
    }
    node.append(made);
  });
  return node;
}
let before = $("rows").children.length;
async function look() {
  try {
    const answer = await fetch(data.progress, {cache: "no-store"});
    const rows = (await answer.json()).rows;
    $("rows").replaceChildren(...rows.map(row));
    $("live").hidden = !rows.length;
    $("none").hidden = rows.length > 0;
    if (rows.length < before) location.reload(); // a run has ended: the list below is older
    before = rows.length;
  } catch {
    // the server has ended or is busy; the next look tells
  }
  setTimeout(look, EVERY);
}
setTimeout(look, EVERY);

const chosen = [];
addEventListener("change", (event) => {
  if (!event.target.matches("input[type=checkbox]")) return;
  const run = event.target.value;
  if (event.target.checked) chosen.push(run);
  else chosen.splice(chosen.indexOf(run), 1);
  $("chosen").hidden = !chosen.length;
});
$("open").addEventListener("click", () => {
  location.href = "page?" + new URLSearchParams(chosen.map((run) => ["run", run]));
});
for (const box of document.querySelectorAll("input[type=checkbox]")) box.checked = false;
})();
