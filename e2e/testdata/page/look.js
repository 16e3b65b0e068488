// look says what is wrong with the page as it is laid out: first folded as it
// comes, then with everything unfolded, in light and in dark colours, which
// coloured chooses. axe-core reads it unfolded, when all is there that is there
// folded; its own check of contrast takes twenty seconds for a page: it is asked for
// where contrastByAxe says so, and elsewhere contrast does the same.
async function look(width, coloured, contrastByAxe) {
  const out = {Problems: [], Violation: [], Articles: document.querySelectorAll("article[data-rule][data-subject][data-result]").length, Texts: 0};
  const say = (text) => { if (out.Problems.length < 20) out.Problems.push(text); };
  if (innerWidth !== width) say("laid out at " + innerWidth);
  layout(say, "folded");
  for (const details of document.querySelectorAll("details")) details.open = true;
  layout(say, "unfolded");
  for (const scheme of ["light", "dark"]) {
    await coloured(scheme);
    if (matchMedia("(prefers-color-scheme: dark)").matches !== (scheme === "dark")) say("not shown in " + scheme + " colours");
    out.Texts += contrast((text) => say(scheme + ": " + text));
  }
  await accessible(out, contrastByAxe);
  await coloured("light");
  keyboard(say);
  return out;
}

async function accessible(out, contrastByAxe) {
  if (!window.axe) return;
  const found = await axe.run(document, {resultTypes: ["violations"], rules: {"color-contrast": {enabled: contrastByAxe}}});
  for (const v of found.violations) {
    out.Violation.push(v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " (" + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message + ")").join("; "));
  }
}

// contrast holds every text against what is painted behind it, by the ratio that
// WCAG 2.2 asks for (1.4.3): 4.5, and 3 for large letters. It gives the number of
// texts.
function contrast(say) {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || seen.has(e) || e.closest("script, style, title") || !e.checkVisibility()) continue;
    seen.add(e);
    const style = getComputedStyle(e);
    const ink = paint(e.closest("svg") ? style.fill : style.color), back = behind(e);
    if (!ink || !back) {
      say("half transparent: " + node.data.trim().slice(0, 40));
      continue;
    }
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const [light, dark] = [luminance(ink), luminance(back)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) say("contrast " + ratio.toFixed(2) + ": " + node.data.trim().slice(0, 40));
  }
  return seen.size;
}

// behind is the colour that is painted behind an element: in a picture that of the
// last shape that holds the text's middle, elsewhere the nearest background.
function behind(e) {
  const svg = e.closest("svg");
  if (svg) {
    const box = e.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    let found = "none";
    for (const shape of svg.querySelectorAll("rect, circle")) {
      const r = shape.getBoundingClientRect(), fill = getComputedStyle(shape).fill;
      if (fill !== "none" && r.left <= x && x <= r.right && r.top <= y && y <= r.bottom && shape.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING) found = fill;
    }
    if (found !== "none") return paint(found);
  }
  for (let at = svg || e; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") return paint(colour);
  }
  return null;
}

// paint is an opaque colour's red, green and blue from 0 to 1.
function paint(colour) {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
  return parts && parts.slice(1).map((n) => n / 255);
}

// luminance is WCAG's relative luminance.
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
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
