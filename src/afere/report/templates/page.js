"use strict";
// Shows the items of this page. Every text of a model, suite or server becomes a text node or the
// value of an attribute that holds no code: nothing here parses HTML.
(() => {
const PAGE = 250;
const data = JSON.parse(document.getElementById("data").textContent);
const models = data.names.length;
const byId = new Map(data.items.map((item, place) => [item[0], place]));
const texts = data.texts;
const $ = (id) => document.getElementById(id);
const say = (text, values) =>
  data.say[text].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
const count = (number) => number.toLocaleString(data.language);

// Foreign text: what could steer the direction of text, or is no character, is shown as an escape.
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;
const SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"};
function escaped(character) {
  const code = character.codePointAt(0);
  if (code <= 0xff) return "\\x" + code.toString(16).padStart(2, "0");
  return code <= 0xffff
    ? "\\u" + code.toString(16).padStart(4, "0")
    : "\\U" + code.toString(16).padStart(8, "0");
}
const shown = (text) => String(text).replace(UNFIT, (each) => SHORT[each] || escaped(each));
const READABLE = new Set(["\n", "\t", "\u200c", "\u200d"]);
const lines = (text) => String(text).replace(/\r\n/g, "\n")
  .replace(UNFIT, (each) => READABLE.has(each) ? each : SHORT[each] || escaped(each));

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "click") node.addEventListener("click", value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const brief = (text) => text.length > 90 ? Array.from(text.slice(0, 91)).slice(0, 90).join("") + "…" : text;
const pre = (text) => make("pre", {dir: "auto", tabindex: "0"}, lines(text));

// What an item is, by the places of its parts in the data.
const [ID, CATEGORY, KEY, QUESTION, APART, SIDES] = [0, 1, 2, 3, 4, 5];
const [RIGHT, COUNTED, STATE, MARKS, READ, ANSWERS] = [0, 1, 2, 3, 4, 5];
const KEYS = data.items.some((item) => item[KEY]);
const READS = data.items.some((item) => item[SIDES].some((each) => each[READ]));
const share = (side) => side[COUNTED] ? side[RIGHT] / side[COUNTED] : -1;
const has = (codes) => (item) => item[SIDES].some((side) => [...texts[side[MARKS]]].some((each) => codes.includes(each)));
const side = (item, place) => item[SIDES][place];
const state = (item, place) => item[APART] ? null : side(item, place)[STATE];

const view = {item: "", filter: "all", category: "", q: "", sort: "", page: 1, a: 0, b: models > 1 ? 1 : 0};

const PAIRED = [
  ["different", "different", (item) => item[SIDES].some((each) => each[RIGHT] * item[SIDES][0][COUNTED] !== item[SIDES][0][RIGHT] * each[COUNTED])],
  ["to-wrong", "lost by the candidate", (item) => state(item, view.a) === 1 && state(item, view.b) === 0],
  ["to-right", "won by the candidate", (item) => state(item, view.a) === 0 && state(item, view.b) === 1],
  ["both-wrong", "wrong with both", (item) => state(item, view.a) === 0 && state(item, view.b) === 0],
];
const ALONE = [["wrong", "wrong", (item) => side(item, 0)[STATE] === 0]];
const FILTERS = [
  ["all", "all", () => true],
  ...(models > 1 ? PAIRED : ALONE),
  ["unsteady", "unsteady", (item) => item[SIDES].some((each) => each[RIGHT] > 0 && each[RIGHT] < each[COUNTED])],
  ["unreadable", "unreadable", has("ue")],
  ["truncated", "truncated", has("t")],
  ["failed", "failed", has("xgn")],
];
const passes = (name) => FILTERS.find((filter) => filter[0] === name)[2];

// The address holds what is seen.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const place = (name, usual) => {
    const found = Number(given.get(name) || NaN);
    return models > 2 && Number.isInteger(found) && found >= 1 && found <= models ? found - 1 : usual;
  };
  view.item = given.get("item") || "";
  view.filter = FILTERS.some((each) => each[0] === given.get("filter")) ? given.get("filter") : "all";
  view.category = given.get("category") || "";
  view.q = given.get("q") || "";
  view.sort = given.get("sort") || "";
  view.page = Math.max(1, Math.floor(Number(given.get("page")) || 1));
  view.a = place("a", 0);
  view.b = place("b", models > 1 ? 1 : 0);
}
function writeAddress() {
  const told = new URLSearchParams();
  if (view.item) told.set("item", view.item);
  if (view.filter !== "all") told.set("filter", view.filter);
  for (const name of ["category", "q", "sort"]) if (view[name]) told.set(name, view[name]);
  if (view.page > 1) told.set("page", view.page);
  if (models > 2 && (view.a !== 0 || view.b !== 1)) { told.set("a", view.a + 1); told.set("b", view.b + 1); }
  const hash = told.toString().replace(/\+/g, "%20");
  history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
}

// Which items are seen, in which order.
let haystacks = null;
function haystack(place) {
  haystacks = haystacks || new Array(data.items.length);
  if (haystacks[place] === undefined) {
    const item = data.items[place];
    const parts = [item[ID], texts[item[CATEGORY]], texts[item[KEY]], texts[item[QUESTION]]];
    for (const each of item[SIDES]) {
      parts.push(texts[each[READ]]);
      for (const answer of each[ANSWERS] || []) if (answer[REPLY] > 0) parts.push(texts[answer[REPLY]]);
    }
    haystacks[place] = parts.join("\n").toLowerCase();
  }
  return haystacks[place];
}
function within() {
  const wanted = view.q.toLowerCase();
  const found = [];
  data.items.forEach((item, place) => {
    if (view.category && texts[item[CATEGORY]] !== view.category) return;
    if (wanted && !haystack(place).includes(wanted)) return;
    found.push(place);
  });
  return found;
}
const COLLATOR = new Intl.Collator(data.language, {numeric: true});
function sorted(places) {
  const down = view.sort.startsWith("-");
  const name = down ? view.sort.slice(1) : view.sort;
  const by = {
    item: (a, b) => COLLATOR.compare(a[ID], b[ID]),
    category: (a, b) => COLLATOR.compare(texts[a[CATEGORY]], texts[b[CATEGORY]]),
  };
  for (let place = 0; place < models; place++) {
    by["model-" + (place + 1)] = (a, b) => share(side(a, place)) - share(side(b, place));
  }
  if (!by[name]) return places;
  const order = (a, b) => by[name](data.items[a], data.items[b]);
  return places.slice().sort(down ? (a, b) => order(b, a) : order);
}
let seen = [];
function choose() {
  const base = within();
  const counts = new Map(FILTERS.map(([name, , test]) => [name, base.filter((place) => test(data.items[place])).length]));
  seen = sorted(base.filter((place) => passes(view.filter)(data.items[place])));
  return counts;
}

// Drawing.
const outcome = (code) => data.outcomes[code];
function marks(each) {
  const codes = [...texts[each[MARKS]]];
  const spoken = codes.map((code, place) => place + 1 + data.colon + outcome(code)[2]).join(data.comma);
  const node = make("span", {class: "marks", role: "img", "aria-label": spoken || say("not asked")});
  for (const code of codes) node.append(make("i", {class: "m-" + outcome(code)[0]}, outcome(code)[1]));
  return [node, make("span", {class: "of"}, each[RIGHT] + "/" + each[COUNTED])];
}
function tag(item) {
  if (models < 2) return null;
  if (item[APART]) return make("span", {class: "tag"}, say("not the same"));
  if (passes("to-wrong")(item)) return make("span", {class: "tag lost"}, say("lost"));
  if (passes("to-right")(item)) return make("span", {class: "tag gained"}, say("won"));
  return null;
}
function head() {
  const columns = [["item", say("item")], ["category", say("category")]];
  if (KEYS) columns.push(["", say("right answer")]);
  data.heads.forEach((name, place) => {
    columns.push(["model-" + (place + 1), shown(name)]);
    if (READS) columns.push(["", say("read")]);
  });
  const row = make("tr");
  for (const [key, name] of columns) {
    const down = view.sort === "-" + key, up = view.sort === key;
    const cell = make("th", {scope: "col", "aria-sort": key && up ? "ascending" : key && down ? "descending" : undefined});
    if (key) {
      const next = up ? "-" + key : down ? "" : key;
      cell.append(make("button", {class: "sort", type: "button", "data-sort": key, title: say("sort by {name}", {name}), click: () => change({sort: next, page: 1}, `[data-sort="${key}"]`)}, name, make("span", {"aria-hidden": "true"}, up ? " ▲" : down ? " ▼" : "")));
    } else cell.append(name);
    row.append(cell);
  }
  return make("thead", null, row);
}
function row(place) {
  const item = data.items[place];
  const open = item[ID] === view.item;
  const button = make("button", {class: "open", type: "button", "aria-expanded": String(open), "aria-label": say("Question and replies of {item}", {item: shown(item[ID])})}, shown(item[ID]));
  const node = make("tr", {"data-item": item[ID], class: open ? "item opened" : "item"},
    make("th", {scope: "row", class: "id"}, button, tag(item)),
    make("td", {class: "name", "data-label": say("category")}, shown(texts[item[CATEGORY]])));
  if (KEYS) node.append(make("td", {class: "key", "data-label": say("right answer")}, shown(brief(texts[item[KEY]]))));
  item[SIDES].forEach((each, at) => {
    node.append(make("td", {"data-label": shown(data.heads[at])}, ...marks(each)));
    if (READS) node.append(make("td", {class: "read", "data-label": say("read")}, shown(texts[each[READ]])));
  });
  node.addEventListener("click", (event) => {
    if (String(getSelection()) && !event.target.closest("button")) return;
    toggle(item[ID]);
  });
  return open ? [node, detail(item)] : [node];
}

// One item with its question and replies.
const [ROUND, VARIANT, CODE, PART, READ_OUT, RULE, GRADER, FINISH, IN, OUT, THOUGHT, LATENCY, ERROR, FLAGS, FAILURE, SANDBOX, OUTPUT, REPLY, REASONING, ADAPTED, PROMPT, CHANGES] = Array.from({length: 22}, (_, place) => place);
function request(model, answer) {
  const asked = data.prompts[answer[PROMPT] - 1];
  const messages = asked.map(([role, content]) => ({role, content: typeof content === "number" ? texts[content] : content}));
  return {model: model.model, messages, ...model.params, ...(answer[CHANGES] || {})};
}
function facts(answer) {
  const told = [];
  const number = (value, one, more) => {
    if (typeof value === "number" && value) told.push(say(value === 1 ? one : more, {n: count(value)}));
  };
  number(answer[IN], "{n} token in", "{n} tokens in");
  number(answer[OUT], "{n} token out", "{n} tokens out");
  number(answer[THOUGHT], "{n} of them reasoning", "{n} of them reasoning");
  if (answer[LATENCY]) told.push(say("{n} s", {n: answer[LATENCY].toLocaleString(data.language, {maximumFractionDigits: 2})}));
  if (answer[FINISH]) told.push(say("ended: {reason}", {reason: shown(texts[answer[FINISH]])}));
  if (answer[GRADER]) told.push(say("graded by {grader}", {grader: shown(texts[answer[GRADER]])}));
  if (answer[SANDBOX]) told.push(say("executed under {level}", {level: shown(texts[answer[SANDBOX]])}));
  for (const flag of answer[FLAGS] || []) told.push(say("flag: {flag}", {flag: shown(texts[flag])}));
  if (answer[ADAPTED]) told.push(say("sent otherwise, as the server asked: {names}", {names: answer[ADAPTED].map((each) => shown(texts[each])).join(data.comma)}));
  return told.join(data.comma);
}
function later(label, text) {
  const body = make("details", null, make("summary", null, label));
  body.addEventListener("toggle", () => { if (body.open && body.children.length === 1) body.append(pre(text())); });
  return body;
}
function told(answer, place) {
  const [name, mark, word] = outcome(answer[CODE]);
  const round = answer[VARIANT] ? say("round {n}, shift {shift}", {n: answer[ROUND], shift: answer[VARIANT]}) : say("round {n}", {n: answer[ROUND]});
  const line = make("p", null, round + data.colon, make("i", {class: "m-" + name, "aria-hidden": "true"}, mark), " ", make("strong", null, word));
  if (answer[PART]) line.append(data.comma + say("score {n}", {n: answer[PART].toLocaleString(data.language, {maximumFractionDigits: 3})}));
  if (answer[READ_OUT]) line.append(data.comma + say("read") + " ", make("strong", {class: "name"}, shown(texts[answer[READ_OUT]])));
  if (answer[RULE]) line.append(" ", make("span", {class: "soft"}, say("by the rule {rule}", {rule: shown(texts[answer[RULE]])})));
  const node = make("div", {class: "answer"}, line);
  const rest = facts(answer);
  if (rest) node.append(make("p", {class: "soft"}, rest));
  if (answer[FAILURE]) node.append(make("p", null, say("failures") + data.colon, make("span", {class: "name"}, shown(texts[answer[FAILURE]]))));
  if (answer[ERROR]) node.append(pre(texts[answer[ERROR]]));
  if (answer[REPLY] > 0) node.append(pre(texts[answer[REPLY]]));
  else if (answer[REPLY] === -1 && !answer[ERROR]) node.append(make("p", {class: "soft"}, say("The reply is empty.")));
  if (answer[OUTPUT]) node.append(later(say("output"), () => texts[answer[OUTPUT]]));
  if (answer[REASONING]) node.append(later(say("reasoning"), () => texts[answer[REASONING]]));
  if (answer[PROMPT]) {
    const model = data.models[place];
    const where = model.url.startsWith("http") ? "POST " + model.url.replace(/\/$/, "") + "/chat/completions\n" : "";
    node.append(later(say("the request"), () => where + JSON.stringify(request(model, answer), null, 2)));
  }
  return node;
}
function detail(item) {
  const box = make("td", {colspan: String(2 + Number(KEYS) + (1 + Number(READS)) * models)});
  const around = make("div", {class: "around"});
  const at = seen.indexOf(byId.get(item[ID]));
  for (const [name, next] of [["previous", at - 1], ["next", at + 1]]) {
    around.append(make("button", {type: "button", class: "step", "data-step": name, disabled: !(next in seen), click: () => openAt(next)}, say(name)));
  }
  around.append(make("button", {type: "button", class: "step", "data-step": "close", click: () => toggle(item[ID])}, say("close")));
  box.append(around);
  if (item[QUESTION]) box.append(make("h3", null, say("question")), pre(texts[item[QUESTION]]));
  if (item[KEY]) box.append(make("p", {class: "key"}, say("right answer") + data.colon, make("strong", {class: "name"}, shown(texts[item[KEY]]))));
  if (item[APART]) box.append(make("p", {class: "soft"}, say("This item is not the same for all models: it is in no comparison.")));
  const replies = make("div", {class: "replies of-" + Math.min(models, 3)});
  item[SIDES].forEach((each, place) => {
    const title = make("h3", null, make("span", {class: "role " + data.roles[place]}, data.roles[place] === "model" ? shown(data.names[place]) : say(data.roles[place]) + data.colon + shown(data.names[place])), " ", make("span", {class: "of"}, each[RIGHT] + "/" + each[COUNTED]));
    const column = make("div", {class: "column"}, title);
    if (each[ANSWERS] === 0) column.append(make("p", {class: "soft"}, say("So that the page opens at once, replies to this item are left out: {command}", {command: "afere show " + data.models[place].run + " --item " + shown(item[ID])})));
    else if (!each[ANSWERS].length) column.append(make("p", {class: "soft"}, say("not asked")));
    else column.append(make("div", {class: "answers"}, ...each[ANSWERS].map((answer) => told(answer, place))));
    replies.append(column);
  });
  box.append(replies);
  return make("tr", {class: "more"}, box);
}

function draw() {
  const counts = choose();
  const last = Math.max(1, Math.ceil(seen.length / PAGE));
  const missing = view.item && !byId.has(view.item);
  if (view.item && !missing) {
    let at = seen.indexOf(byId.get(view.item));
    if (at < 0) {
      Object.assign(view, {filter: "all", category: "", q: ""});
      return draw();
    }
    view.page = Math.floor(at / PAGE) + 1;
  }
  view.page = Math.min(view.page, last);
  const first = (view.page - 1) * PAGE;
  const part = seen.slice(first, first + PAGE);
  const body = make("tbody");
  for (const place of part) body.append(...row(place));
  $("table").replaceChildren(make("table", {class: "cards items"}, head(), body));
  if (!part.length) $("table").append(make("p", null, say("no item passes")));
  drawFilters(counts);
  const told = [say("{n} of {total} items", {n: count(seen.length), total: count(data.items.length)})];
  if (missing) told.unshift(say("There is no item {item} here.", {item: shown(view.item)}));
  if (last > 1) told.push(say("items {first} to {last} of {total}", {first: count(first + 1), last: count(first + part.length), total: count(seen.length)}));
  if (data.left_out) told.push(say("So that the page opens at once, {n} items are not listed: afere export RUN has all.", {n: count(data.left_out)}));
  if (data.brief) told.push(say("So that the page opens at once, the replies to {n} items are left out.", {n: count(data.brief)}));
  $("told").textContent = told.join(" · ");
  $("pages").hidden = last <= 1;
  $("pages").replaceChildren(
    make("button", {type: "button", disabled: view.page <= 1, "data-page": "previous", click: () => turn(-1)}, say("previous")),
    make("span", null, view.page + " / " + last),
    make("button", {type: "button", disabled: view.page >= last, "data-page": "next", click: () => turn(1)}, say("next")));
  $("search").value = view.q;
  $("category").value = view.category;
  if (models > 2) { $("pair-a").value = String(view.a); $("pair-b").value = String(view.b); }
  writeAddress();
}
function drawFilters(counts) {
  const shownFilters = FILTERS.filter(([name]) => counts.get(name) || name === view.filter || name === "all" || (models > 1 && PAIRED.some((each) => each[0] === name)));
  $("filters").replaceChildren(...shownFilters.map(([name, label]) =>
    make("button", {type: "button", "data-filter": name, "aria-pressed": String(name === view.filter), click: () => change({filter: name, item: "", page: 1}, `[data-filter="${name}"]`)}, say(label), make("b", null, count(counts.get(name))))));
}
function change(what, focus) {
  Object.assign(view, what);
  draw();
  if (focus) { const node = document.querySelector(focus); if (node) node.focus({preventScroll: true}); }
}
function turn(by) {
  change({page: view.page + by, item: ""});
  $("h-items").focus({preventScroll: true});
  $("items").scrollIntoView();
}
const rowOf = (id) => [...document.querySelectorAll("tr[data-item]")].find((node) => node.dataset.item === id);
function focusRow(id, scroll) {
  const found = rowOf(id);
  if (!found) return;
  found.querySelector(".open").focus({preventScroll: true});
  if (scroll) found.scrollIntoView({block: "start"});
}
function toggle(id) {
  change({item: view.item === id ? "" : id});
  focusRow(id, false);
}
function openAt(at) {
  if (!(at in seen)) return;
  const id = data.items[seen[at]][ID];
  change({item: id});
  focusRow(id, true);
}
function follow() {
  readAddress();
  draw();
  if (view.item && byId.has(view.item)) focusRow(view.item, true);
  else if (location.hash.includes("=")) $("items").scrollIntoView();
}

// Keys.
function move(by) {
  const buttons = [...document.querySelectorAll("tr[data-item] .open")];
  const at = buttons.indexOf(document.activeElement);
  const next = buttons[at < 0 ? (by > 0 ? 0 : buttons.length - 1) : at + by];
  if (next) next.focus();
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  const inTable = event.target.closest("#table") && !event.target.matches("pre");
  if (event.key === "Escape" && view.item) {
    const id = view.item;
    change({item: ""});
    focusRow(id, false);
  } else if (event.key === "Escape" && event.target === $("search")) {
    change({q: "", page: 1}, "#search");
  } else if (typing) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    $("search").focus();
    $("search").select();
  } else if (inTable && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (view.item && (event.key === "n" || event.key === "p")) {
    openAt(seen.indexOf(byId.get(view.item)) + (event.key === "n" ? 1 : -1));
  }
});

// Controls.
let waiting = 0;
$("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => change({q: $("search").value, item: "", page: 1}, "#search"), 120);
});
const categories = [...new Set(data.items.map((item) => texts[item[CATEGORY]]))].filter(Boolean).sort(COLLATOR.compare);
if (categories.length > 1) {
  $("by-category").hidden = false;
  $("category").append(make("option", {value: ""}, say("all categories")), ...categories.map((name) => make("option", {value: name}, shown(name))));
  $("category").addEventListener("change", () => change({category: $("category").value, item: "", page: 1}));
}
if (models > 2) {
  $("by-pair").hidden = false;
  for (const [name, key] of [["pair-a", "a"], ["pair-b", "b"]]) {
    $(name).append(...data.names.map((each, place) => make("option", {value: String(place)}, shown(each))));
    $(name).addEventListener("change", () => change({[key]: Number($(name).value), item: "", page: 1}));
  }
}
addEventListener("hashchange", () => { if (!location.hash || location.hash.includes("=")) follow(); });
addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href^='#']");
  if (link && link.hash.includes("=") && link.hash === location.hash) follow();
});
$("controls").hidden = false;
if (location.hash.includes("=")) follow();
else draw();
})();
