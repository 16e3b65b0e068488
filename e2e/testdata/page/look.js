// look says what is wrong with the page as it is laid out: first folded as it
// comes, then with everything unfolded. The accessibility check takes
// seconds for a page: it reads those that the test names, both ways.
async function look(width, accessibly) {
  const out = {Problems: [], Violation: [], Articles: document.querySelectorAll("article[data-rule][data-subject][data-result]").length};
  const say = (text) => { if (out.Problems.length < 20) out.Problems.push(text); };
  if (innerWidth !== width) say("laid out at " + innerWidth);
  layout(say, "folded");
  if (accessibly) await accessible(out);
  for (const details of document.querySelectorAll("details")) details.open = true;
  layout(say, "unfolded");
  if (accessibly) await accessible(out);
  keyboard(say);
  return out;
}

async function accessible(out) {
  if (!window.axe) return;
  const found = await axe.run(document, {resultTypes: ["violations"]});
  for (const v of found.violations) {
    out.Violation.push(v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " (" + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message + ")").join("; "));
  }
}

function layout(say, state) {
  if (document.documentElement.scrollWidth > innerWidth) say(state + ": the page is " + document.documentElement.scrollWidth + " px wide");
  const texts = textBoxes();
  for (const t of texts) {
    if (t.left < -0.5 || t.right > innerWidth + 0.5) say(state + ": beyond the page: " + t.text);
  }
  overlaps(texts, (a, b) => say(state + ": overlap: " + a.text + " / " + b.text));
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e);
    if (style.overflowX !== "visible" && !e.closest("svg") && !e.matches(".scroll") && e.scrollWidth > e.clientWidth + 1) say(state + ": cut: " + e.tagName + " " + e.className);
    if (style.textOverflow === "ellipsis") say(state + ": may be cut: " + e.tagName + " " + e.className);
  }
  pictures(say, state);
}

// textBoxes are the boxes of all visible texts, a line each.
function textBoxes() {
  const boxes = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest(".skip, script, style, title, .scroll") || hidden(e)) continue;
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width > 0.5 && r.height > 0.5) boxes.push({left: r.left, right: r.right, top: r.top, bottom: r.bottom, element: e, text: node.data.trim().slice(0, 40)});
    }
  }
  return boxes;
}

// hidden is true of what is there for those who do not see alone.
function hidden(e) {
  const head = e.closest("thead");
  return !e.checkVisibility() || head !== null && getComputedStyle(head).position === "absolute";
}

// overlaps calls said for texts of different elements that share an area, by
// more than what two lines' boxes always do.
function overlaps(boxes, said) {
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; i++) {
    const a = boxes[i];
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom - 3; j++) {
      const b = boxes[j];
      if (a.element !== b.element && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5) {
        const deep = Math.min(a.bottom, b.bottom) - b.top;
        if (deep > 3) said(a, b);
      }
    }
  }
}

// pictures: each text of a picture lies inside it, and that of a cell in the
// cell.
function pictures(say, state) {
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.checkVisibility()) continue;
    const frame = svg.getBoundingClientRect();
    if (svg.getAttribute("role") === "img" ? !svg.getAttribute("aria-label") : svg.getAttribute("aria-hidden") !== "true") say(state + ": a picture without words");
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      const cell = text.closest("g[data-handle]");
      const around = cell ? cell.querySelector("rect").getBoundingClientRect() : frame;
      if (box.left < around.left - 0.5 || box.right > around.right + 0.5 || box.top < around.top - 1 || box.bottom > around.bottom + 1) say(state + ": outside its frame: " + text.textContent);
      if (box.height < 8) say(state + ": too small to read: " + text.textContent);
    }
  }
}

// keyboard: whatever can be used is reached in the order of the page and shows
// that it is reached.
function keyboard(say) {
  const skip = document.querySelector(".skip");
  skip.focus();
  if (skip.getBoundingClientRect().left < 0) say("the way past the head is not shown when it is reached");
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) say("tabindex " + e.tabIndex);
  for (const e of [...document.querySelectorAll("a[href], summary")].slice(0, 50)) {
    e.focus();
    if (document.activeElement !== e) say("not reached by keyboard: " + e.textContent.slice(0, 40));
  }
  document.activeElement.blur();
}
