// The page around memaudit: it loads the program, hands it what the user pastes or drops, and
// shows the report. After loading, a second Content-Security-Policy forbids every request.
"use strict";

const $ = id => document.getElementById(id);
let slots = [], moves = [], picked = null, memaudit = null;

async function load() {
  const answer = await fetch("memaudit.wasm.gz");
  if (!answer.ok) throw new Error(`memaudit.wasm.gz: ${answer.status} ${answer.statusText}`);
  // A server may have unpacked the file on the way (Content-Encoding): then there is no size to expect.
  const size = answer.headers.get("Content-Encoding") ? 0 : Number(answer.headers.get("Content-Length"));
  const parts = [];
  let read = 0;
  for (const reader = answer.body.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) break;
    parts.push(value);
    read += value.length;
    if (size > 0) $("progress").value = read / size;
  }
  let blob = new Blob(parts);
  const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  if (head[0] === 0x1f && head[1] === 0x8b) {
    blob = await new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  }
  const go = new Go();
  const ready = new Promise(done => document.addEventListener("memaudit", done, {once: true}));
  const {instance} = await WebAssembly.instantiate(await blob.arrayBuffer(), go.importObject);
  go.run(instance);
  await ready;
  memaudit = globalThis.memaudit;
}

// lock forbids requests and new scripts from now on.
function lock() {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  document.head.append(policy);
}

async function start() {
  if (location.protocol === "file:") return;
  $("server").hidden = true;
  $("loading").hidden = false;
  try {
    await load();
  } catch (e) {
    $("loading").hidden = true;
    fail(`The program could not be loaded: ${e.message}`);
    return;
  }
  lock();
  for (const name of memaudit.profiles) $("profile").append(new Option(name, name));
  $("loading").hidden = true;
  for (const b of document.querySelectorAll("#input button")) b.disabled = false;
  document.querySelector(`[data-example="${CSS.escape(location.hash.slice(1))}"]`)?.click();
}

function fail(text) { $("error").textContent = text; }

// shown lets the browser paint before the program takes the thread.
const shown = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));

// check audits files and shows the report.
async function check(files) {
  fail("");
  document.body.setAttribute("aria-busy", "true");
  $("check").textContent = "Checking …";
  await shown();
  const out = memaudit.check(files, $("profile").value);
  $("check").textContent = "Check";
  document.body.removeAttribute("aria-busy");
  $("result").hidden = $("whatif").hidden = Boolean(out.error);
  if (out.error) return fail(out.error);
  for (const [id, text, type] of [["save-html", out.text, "text/html"], ["save-json", out.json, "application/json"]]) {
    URL.revokeObjectURL($(id).href);
    $(id).href = URL.createObjectURL(new Blob([text], {type}));
  }
  $("report").srcdoc = out.text;
  document.body.dataset.json = out.json;
  slots = JSON.parse(out.json).inventory.slots;
  reset();
  $("whatif").hidden = !slots.some(s => s.state === "populated");
  $("result-title").focus();
}

// The report has no scripts of its own: its height and its links are handled here.
$("report").addEventListener("load", () => {
  const page = $("report").contentDocument;
  const fit = () => { $("report").style.height = `${page.body.offsetHeight + 4}px`; };
  fit();
  new ResizeObserver(fit).observe(page.body);
  page.addEventListener("click", e => {
    const link = e.target.closest("a[href]");
    if (!link) return;
    e.preventDefault();
    const at = link.getAttribute("href");
    if (at.startsWith("#")) {
      const target = page.getElementById(at.slice(1));
      if (target) scrollBy(0, target.getBoundingClientRect().top + $("report").getBoundingClientRect().top - 8);
    } else {
      open(at, "_blank", "noopener,noreferrer");
    }
  });
});

async function read(list) {
  return Promise.all(Array.from(list, async f => ({name: f.name, data: new Uint8Array(await f.arrayBuffer())})));
}

$("input").addEventListener("submit", async e => {
  e.preventDefault();
  const files = await read($("files").files);
  if ($("text").value.trim()) files.push({name: "pasted text", data: new TextEncoder().encode($("text").value)});
  if (files.length) check(files);
  else fail("Paste dmidecode's output or choose a file first.");
});
for (const b of document.querySelectorAll("[data-example]")) {
  b.addEventListener("click", () => check([{name: b.dataset.example, data: memaudit.example(b.dataset.example)}]));
}
addEventListener("dragover", e => {
  if (!e.dataTransfer.types.includes("Files")) return;
  e.preventDefault();
  $("input").classList.add("over");
});
addEventListener("dragleave", () => $("input").classList.remove("over"));
addEventListener("drop", async e => {
  $("input").classList.remove("over");
  if (!e.dataTransfer.files.length) return;
  e.preventDefault();
  if (memaudit) check(await read(e.dataTransfer.files));
});

// What-if: the slots of the machine, with their DIMMs where the moves put them.
const size = s => s.size_bytes >= 2 ** 30 ? `${s.size_bytes / 2 ** 30} GiB` : `${s.size_bytes / 2 ** 20} MiB`;

// occupancy returns which slot's DIMM each slot holds after the moves, by handle.
function occupancy() {
  const holds = new Map(slots.filter(s => s.state === "populated").map(s => [s.handle, s]));
  for (let i = 0; i < moves.length; i++) {
    const {from, to, swap} = moves[i], a = holds.get(from), b = holds.get(to);
    holds.delete(from);
    if (swap) holds.set(from, b);
    holds.set(to, a);
  }
  return holds;
}

// opened are the processors that are unfolded.
const opened = new Set();

function draw() {
  const holds = occupancy(), board = $("board"), focused = document.activeElement?.dataset?.handle;
  board.textContent = "";
  const groups = Map.groupBy(slots.filter(s => s.state !== "unknown"), s => s.socket);
  for (const [socket, mine] of [...groups].sort((a, b) => (a[0] ?? 99) - (b[0] ?? 99))) {
    // A board of many slots is folded by processor.
    const folded = slots.length > 48, name = socket === null ? "CPU unknown" : `CPU ${socket + 1}`;
    const box = board.appendChild(document.createElement(folded ? "details" : "div"));
    box.className = "socket";
    if (folded) {
      box.open = opened.has(name);
      box.addEventListener("toggle", () => opened[box.open ? "add" : "delete"](name));
      box.appendChild(document.createElement("summary")).textContent = `${name}: ${mine.filter(s => holds.has(s.handle)).length} of ${mine.length} slots`;
    } else if (socket !== null) {
      box.appendChild(document.createElement("h3")).textContent = name;
    }
    const row = box.appendChild(document.createElement("div"));
    row.className = "channels";
    for (const [channel, column] of [...Map.groupBy(mine, s => s.channel)].sort((a, b) => (a[0] ?? 99) - (b[0] ?? 99))) {
      const list = row.appendChild(document.createElement("div"));
      list.className = channel === null ? "unplaced" : "";
      list.appendChild(document.createElement("h4")).textContent = channel === null ? "channel unknown" : `channel ${channel}`;
      for (const s of column.sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0))) list.append(button(s, holds.get(s.handle)));
    }
  }
  $("undo").disabled = $("reset").disabled = !moves.length;
  if (focused) board.querySelector(`[data-handle="${focused}"]`)?.focus();
}

// button makes the button of a slot. It is no <button>, because Firefox cannot drag those.
function button(s, dimm) {
  const b = document.createElement("div");
  b.role = "button";
  b.tabIndex = 0;
  b.className = dimm ? "slot full" : "slot";
  b.dataset.handle = s.handle;
  b.textContent = `${s.locator ?? s.handle}\n${dimm ? size(dimm) : "empty"}`;
  b.style.whiteSpace = "pre-wrap";
  b.draggable = Boolean(dimm);
  b.setAttribute("aria-pressed", String(picked === s.handle));
  b.addEventListener("click", () => {
    if (picked === null) picked = dimm ? s.handle : null;
    else { const from = picked; picked = null; if (from !== s.handle) return move(from, s.handle); }
    draw();
  });
  b.addEventListener("keydown", e => {
    if (e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    b.click();
  });
  b.addEventListener("dragstart", e => { picked = s.handle; e.dataTransfer.setData("text/plain", s.handle); e.dataTransfer.effectAllowed = "move"; });
  b.addEventListener("dragend", () => { picked = null; });
  b.addEventListener("dragover", e => { if (picked !== null) { e.preventDefault(); b.classList.add("over"); } });
  b.addEventListener("dragleave", () => b.classList.remove("over"));
  b.addEventListener("drop", e => {
    e.preventDefault();
    const from = picked;
    picked = null;
    b.classList.remove("over");
    if (from !== null && from !== s.handle) move(from, s.handle);
  });
  return b;
}

function move(from, to) {
  moves.push({from, to, swap: occupancy().has(to)});
  ask();
}

function reset() {
  moves = [];
  picked = null;
  ask();
}

// columns is how many characters fit beside each other, at most a report's usual 80.
function columns() {
  const pre = $("outcome"), probe = document.createElement("span");
  probe.textContent = "0".repeat(80);
  pre.replaceChildren(probe);
  const {paddingLeft, paddingRight} = getComputedStyle(pre);
  return Math.min(80, Math.floor(80 * (pre.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / probe.getBoundingClientRect().width));
}

// ask audits the machine after the moves, as `memaudit plan --move` does.
function ask() {
  draw();
  $("outcome").hidden = $("after").hidden = !moves.length;
  if (!moves.length) return;
  const steps = moves.flatMap(m => m.swap ? [{from: m.from, to: m.to}, {from: m.to, to: m.from}] : [{from: m.from, to: m.to}]);
  const out = memaudit.whatIf(steps, columns());
  $("after").textContent = out.after ?? "";
  $("after").hidden = Boolean(out.error);
  $("outcome").textContent = out.error ?? out.text;
}
$("undo").addEventListener("click", () => { moves.pop(); ask(); });
$("reset").addEventListener("click", reset);

start();
