// Uses the page as a person does, and holds what it shows against the native program's output.
"use strict";
(async () => {
  const $ = id => document.getElementById(id);
  const until = async (what, holds) => {
    for (let i = 0; i < 1200; i++) {
      if (holds()) return;
      await new Promise(done => setTimeout(done, 50));
    }
    throw new Error(`timeout: ${what}; ${$("error").textContent}`);
  };
  // The page breaks lines where it is narrow.
  const words = text => text.replace(/\s+/g, " ");
  const plain = text => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME");
  const result = {Problems: [], Milliseconds: []};
  try {
    const began = performance.now();
    await until("loading", () => !$("check").disabled);
    result.Loading = performance.now() - began;
    for (const page of PAGES) {
      const bytes = Uint8Array.from(atob(page.Data), c => c.charCodeAt(0));
      const start = performance.now();
      delete document.body.dataset.json;
      if (page.Text) {
        $("text").value = new TextDecoder().decode(bytes);
        $("check").click();
      } else {
        const drop = new DataTransfer();
        drop.items.add(new File([bytes], page.Name));
        document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: drop, bubbles: true, cancelable: true}));
      }
      await until(page.Name, () => document.body.dataset.json || $("error").textContent);
      result.Milliseconds.push(performance.now() - start);
      if (plain(document.body.dataset.json ?? $("error").textContent) !== plain(page.JSON)) {
        result.Problems.push(`${page.Name}: another document: ${document.body.dataset.json?.slice(0, 300) ?? $("error").textContent}`);
      }
      if (plain($("report").srcdoc) !== plain(page.HTML)) result.Problems.push(`${page.Name}: another page`);
    }
    if (WHATIF) {
      $("r610").click();
      await until("example", () => $("error").textContent || !$("whatif").hidden && $("board").textContent.includes("DIMM_B4"));
      const slot = name => [...document.querySelectorAll(".slot")].find(b => b.textContent.startsWith(name));
      const press = (name, key) => {
        slot(name).focus();
        if (document.activeElement !== slot(name)) result.Problems.push(`not reached by keyboard: ${name}`);
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
      };
      press("DIMM_B4", "Enter");
      press("DIMM_B3", " ");
      await until("what-if", () => !$("outcome").hidden);
      if (words($("outcome").textContent) !== words(WHATIF)) result.Problems.push(`what-if: ${$("outcome").textContent}`);
      $("undo").click();
      if (slot("DIMM_B4").matches("button")) result.Problems.push("Firefox does not drag buttons");
      const drag = new DataTransfer();
      slot("DIMM_B4").dispatchEvent(new DragEvent("dragstart", {dataTransfer: drag, bubbles: true}));
      slot("DIMM_B3").dispatchEvent(new DragEvent("drop", {dataTransfer: drag, bubbles: true, cancelable: true}));
      await until("dragging", () => !$("outcome").hidden);
      if (words($("outcome").textContent) !== words(WHATIF)) result.Problems.push(`dragged: ${$("outcome").textContent}`);
    }
    for (const forbidden of ["/leak", "https://example.org/"]) {
      let sent = true;
      try { await fetch(forbidden); } catch { sent = false; }
      if (sent) result.Problems.push(`a request to ${forbidden} after loading was not forbidden`);
    }
    if (matchMedia("(prefers-color-scheme: dark)").matches !== DARK) result.Problems.push("not shown in the colours asked for");
    contrast(text => result.Problems.push(text));
    if (innerWidth > 500) result.Problems.push(`the window is ${innerWidth} wide`);
    for (const pre of document.querySelectorAll("pre")) {
      if (pre.scrollWidth > pre.clientWidth) result.Problems.push(`cut at the right: ${pre.id}`);
    }
    const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".socket") && e.getBoundingClientRect().right > innerWidth + 1);
    if (wide.length) result.Problems.push(`wider than the window: ${wide[0].outerHTML.slice(0, 200)}`);
  } catch (e) {
    result.Problems.push(String(e));
  }
  location.href = "/done?" + encodeURIComponent(JSON.stringify(result));
})();
