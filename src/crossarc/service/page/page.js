// The page: asks the service for trees and shows them. What is typed goes to the service and into the link, nowhere else.
"use strict";

(() => {
  const { element, drawing, mount } = CrossarcSteps;
  const $ = (id) => document.getElementById(id);
  const GIVEN = "\u0000given";  // in place of a model: the trees that CoNLL-U has
  const EXAMPLES = [
    "A hearing is scheduled on the issue today.",
    "# text = A hearing is scheduled on the issue today .\n" + [
      "1\tA\ta\tDET\t_\t_\t2\tdet", "2\thearing\thearing\tNOUN\t_\t_\t4\tnsubj:pass", "3\tis\tbe\tAUX\t_\t_\t4\taux:pass",
      "4\tscheduled\tschedule\tVERB\t_\t_\t0\troot", "5\ton\ton\tADP\t_\t_\t7\tcase", "6\tthe\tthe\tDET\t_\t_\t7\tdet",
      "7\tissue\tissue\tNOUN\t_\t_\t2\tnmod", "8\ttoday\ttoday\tNOUN\t_\t_\t4\tobl", "9\t.\t.\tPUNCT\t_\t_\t4\tpunct",
    ].map((line) => line + "\t_\t_").join("\n") + "\n",
    "I saw a man yesterday who had lost his dog.",
    "What did you say that she was looking for?",
  ];
  // A long text is shown in parts: of so many characters of raw text, or of CoNLL-U.
  const PART = 6000, CONLLU_PART = 60000;
  const LONGEST_LINK = 100000;  // a longer text is in no link, but in the history of the browser
  const state = { catalogue: null, answers: [], sentence: 0, rank: 0, stepper: null, asked: 0, parts: [""], part: 0, edited: new Map(), editing: null, visited: false };

  // Talking to the service

  async function ask(path, data) {
    const response = await fetch(path, data === undefined ? {} : {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });
    if (response.ok) return response;
    let message = `the service answered with status ${response.status}`;
    try { message = (await response.json()).error || message; } catch { /* no JSON */ }
    throw new Error(message);
  }

  function say(text, error = false) {
    $("status").textContent = text;
    $("status").classList.toggle("error", error);
  }

  async function tried(work) {
    const number = ++state.asked;
    say("…");
    try {
      const text = await work(() => number === state.asked);
      if (number === state.asked) say(text || "");
    } catch (error) {
      if (number === state.asked) say(String(error.message || error), true);
    }
  }

  // Settings, and the link that holds them

  const FIELDS = { t: "data", m: "model", c: "other", i: "input", n: "nbest", l: "layout", s: "system", r: "root" };

  function settings() {
    const found = new URLSearchParams();
    for (const [key, id] of Object.entries(FIELDS)) {
      const field = $(id), usual = field.dataset.usual || "";
      const value = field.value === GIVEN ? "given" : field.value;
      if (value !== usual && !field.disabled && value.length <= LONGEST_LINK) found.set(key, value);
    }
    if (state.part) found.set("p", state.part + 1);
    if (state.sentence) found.set("k", state.sentence + 1);
    if (state.stepper) found.set("step", state.stepper.at);
    return found;
  }

  // The address follows what is on show; what a person went to can be gone back from.
  function remember() {
    const address = "#" + settings().toString(), text = $("data").value;
    const kept = text.length > LONGEST_LINK ? { text } : null;
    if (state.visited && address !== location.hash) history.pushState(kept, "", address);
    else history.replaceState(kept, "", address);
    state.visited = false;
  }

  const visit = () => { state.visited = true; };

  function restore() {
    const found = new URLSearchParams(location.hash.slice(1));
    for (const [key, id] of Object.entries(FIELDS)) {
      if (!found.has(key)) { $(id).value = id === "data" ? history.state?.text || "" : $(id).dataset.usual; continue; }
      const value = found.get(key) === "given" && id === "model" ? GIVEN : found.get(key);
      const field = $(id);
      if (field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
    }
    return found;
  }

  // Parsing

  const isGiven = () => $("model").value === GIVEN;

  // How wide a drawing may be.
  const width = () => Math.max(280, Math.min(4000, $("form").clientWidth - 24));

  // The parts of a text, cut between sentences as far as these can be told without a tokenizer.
  function partsOf(text) {
    const model = state.catalogue.models.find((one) => one.name === $("model").value);
    const kind = $("input").value !== "auto" ? $("input").value : /^\d+([-.]\d+)?\t/m.test(text) ? "conllu" : model && model.abilities.includes("tokenizer") ? "text" : "lines";
    const most = kind === "conllu" || kind === "words" ? CONLLU_PART : PART;
    const ends = { conllu: [/\n\s*\n/g], words: [/\n\s*\n/g], lines: [/\n/g], text: [/\n\s*\n/g, /\n/g, /[.!?…。؟।]+["'”’)]*\s/g, /\s/g] }[kind];
    const parts = [];
    let start = 0;
    while (text.length - start > most) {
      const piece = text.slice(start, start + most);
      let end = 0;
      for (const pattern of ends) {
        for (const found of piece.matchAll(pattern)) end = found.index + found[0].length;
        if (end) break;
      }
      if (!end) {  // a sentence that is longer than a part
        ends[0].lastIndex = start + most;
        const found = ends[0].exec(text);
        end = found ? found.index + found[0].length - start : text.length - start;
      }
      parts.push(text.slice(start, start + end));
      start += end;
    }
    if (start < text.length || !parts.length) parts.push(text.slice(start));
    return parts.filter((part, number) => part.trim() || !number);
  }

  function request(model, part = state.part) {
    const common = { data: state.parts[part], input: $("input").value, svg: true, layout: $("layout").value, width: width() };
    if (state.edited.has(part)) return { ...common, data: state.edited.get(part), input: "conllu", given: true };
    if (model === GIVEN) return { ...common, given: true };
    return { ...common, model, nbest: Math.max(1, Math.min(20, Number($("nbest").value) || 1)) };
  }

  async function parse(current) {
    const names = [$("model").value, ...($("other").value ? [$("other").value] : [])];
    if (state.parts.join("") !== $("data").value) { state.parts = partsOf($("data").value); state.edited.clear(); }
    state.part = Math.min(state.part, state.parts.length - 1);
    stopEditing();
    let found;
    try {
      found = await Promise.all(names.map(async (name) => (await ask("/parse", request(name))).json()));
    } catch (error) {
      if (current()) clearTrees();  // no tree of another text stays on show
      throw error;
    }
    if (!current()) return "";
    state.answers = found.map((answer, place) => ({ ...answer, name: names[place] === GIVEN ? "as given" : names[place] }));
    state.sentence = Math.min(state.sentence, found[0].sentences.length - 1);
    state.rank = 0;
    clearSteps();
    fillSentences();
    show();
    const words = found[0].sentences.reduce((sum, one) => sum + one.analyses[0].words.length, 0);
    const part = state.parts.length > 1 ? `part ${state.part + 1} of ${state.parts.length}: ` : "";
    return `${part}${found[0].sentences.length === 1 ? "1 sentence" : found[0].sentences.length + " sentences"}, ${words} words`;
  }

  function clearTrees() {
    clearSteps();
    stopEditing();
    state.answers = [];
    $("trees").replaceChildren();
    $("result").hidden = $("stepping").hidden = true;
  }

  function fillSentences() {
    const sentences = state.answers[0].sentences;
    $("sentence").replaceChildren(...sentences.map((one, number) => {
      const text = one.text.length > 60 ? one.text.slice(0, 57) + "…" : one.text;
      return element("option", { value: number }, `${number + 1}: ${text}`);
    }));
    $("sentence").value = state.sentence;
    $("sentences").hidden = sentences.length < 2 && state.parts.length < 2;
    $("parts").hidden = state.parts.length < 2;
    $("part").textContent = `part ${state.part + 1} of ${state.parts.length}`;
    $("earlier").disabled = state.part === 0;
    $("later").disabled = state.part === state.parts.length - 1;
  }

  // Trees

  const chosen = (answer) => {
    const sentence = answer.sentences[Math.min(state.sentence, answer.sentences.length - 1)];
    return sentence.analyses[Math.min(state.rank, sentence.analyses.length - 1)];
  };

  function show() {
    $("result").hidden = false;
    $("stepping").hidden = false;
    const ranks = state.answers[0].sentences[state.sentence].analyses;
    $("ranks").hidden = ranks.length < 2;
    $("rank").replaceChildren(...ranks.map((one, number) =>
      element("option", { value: number }, `${number + 1}${one.score === undefined ? "" : ` (score ${one.score.toFixed(2)})`}`)));
    $("rank").value = state.rank;
    const differing = state.answers.length > 1 ? differences(...state.answers.map(chosen)) : null;
    const figures = state.answers.map((answer, place) => figure(answer, differing, place));
    const narrow = figures.length > 1 && figures.every((one) => one.querySelector("svg")?.width.baseVal.value < 560);
    $("trees").replaceChildren(element("div", { class: `side${narrow ? " narrow" : ""}` }, ...figures));
    $("previous").disabled = state.sentence === 0 && state.part === 0;
    $("next").disabled = state.sentence === state.answers[0].sentences.length - 1 && state.part === state.parts.length - 1;
    remember();
  }

  // The dependents whose arcs two analyses of the same words differ in.
  function differences(one, other) {
    const same = one.words.length === other.words.length && one.words.every((word, place) => word.form === other.words[place].form);
    if (!same) return null;
    return new Set(one.words.filter((word, place) => word.head !== other.words[place].head || word.deprel !== other.words[place].deprel).map((word) => word.id));
  }

  // The drawing of a tree. Only the first trees of a long text come with one: others are drawn when they are looked at.
  function treeOf(answer, analysis) {
    if (analysis.svg) return drawing(analysis.svg);
    const holder = element("p", { class: "note" }, "…");
    const drawn = ask("/parse", { data: conllu(answer).text, input: "conllu", given: true, svg: true, layout: $("layout").value, width: width() })
      .then(async (response) => {
        analysis.svg = (await response.json()).sentences[0].analyses[0].svg;
        if (!analysis.svg) throw new Error(`${analysis.words.length} words are too many to be drawn: the arcs are in the table`);
        const svg = drawing(analysis.svg);
        holder.replaceWith(svg);
        return svg;
      });
    drawn.catch((error) => { holder.textContent = String(error.message || error); });
    drawn.holder = holder;
    return drawn;
  }

  function figure(answer, differing, place) {
    const analysis = chosen(answer);
    const tree = treeOf(answer, analysis);
    const mark = (svg) => svg.querySelectorAll("g.arc").forEach((arc) => arc.classList.toggle("differs", Boolean(differing?.has(Number(arc.dataset.dependent)))));
    if (tree instanceof SVGElement) mark(tree);
    else tree.then(mark, () => {});
    const title = state.answers.length > 1 ? `${answer.name}` : null;
    const count = !differing || place ? null : element("p", { class: "note" },
      differing.size ? `${differing.size} of ${analysis.words.length} arcs differ; they are marked.` : "The two analyses are the same.");
    const cut = state.answers.length > 1 && !differing && !place ? element("p", { class: "note" }, "The two models cut the text into other words, so that arcs are not compared.") : null;
    return element("figure", {},
      title ? element("figcaption", {}, title) : null,
      element("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": `the tree${title ? " of " + title : ""}` }, tree instanceof SVGElement ? tree : tree.holder),
      count, cut,
      element("ul", { class: "described" }, ...analysis.described.map((line) => element("li", {}, line))),
      arcTable(analysis, differing));
  }

  function arcTable(analysis, differing) {
    const likely = analysis.words.some((word) => word.probability !== undefined);
    const scored = !likely && analysis.words.some((word) => word.score !== undefined);
    const lemmas = analysis.words.some((word) => word.lemma !== "_"), features = analysis.words.some((word) => Object.keys(word.feats).length);
    const heads = ["", "word", ...(lemmas ? ["lemma"] : []), "tag", ...(features ? ["features"] : []), "relation", "head", "plane", "crossings", ...(likely ? ["probability"] : []), ...(scored ? ["margin"] : [])];
    const cell = (value, kind) => element("td", { class: kind || null, dir: "auto" }, value);
    const rows = analysis.words.map((word) => {
      const head = word.head ? `${analysis.words[word.head - 1].form} (${word.head})` : "root";
      const more = [];
      if (likely) more.push(cell(word.probability === null || word.probability === undefined ? "–" : `${(100 * word.probability).toFixed(1)} %`, "number"));
      if (scored) more.push(cell(word.margin === null || word.margin === undefined ? "–" : word.margin.toFixed(2), "number"));
      return element("tr", { class: differing?.has(word.id) ? "differs" : null },
        cell(String(word.id), "number"), cell(word.form), ...(lemmas ? [cell(word.lemma)] : []), cell(word.upos),
        ...(features ? [cell(Object.entries(word.feats).map(([name, value]) => value ? `${name}=${value}` : name).join(" "))] : []), cell(word.deprel), cell(head),
        cell(String(word.plane + 1), "number"), cell(String(word.crossings), "number"), ...more);
    });
    return element("details", {}, element("summary", {}, "The arcs as a table"),
      element("div", { class: "scrolled", tabindex: 0, role: "group", "aria-label": "arcs" }, element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head || element("span", { "aria-label": "number" }, "#"))))),
        element("tbody", {}, ...rows))));
  }

  // The sentence on show as CoNLL-U, with the tree on show.
  function conllu(answer = state.answers[0]) {
    const at = Math.min(state.sentence, answer.sentences.length - 1);
    const analysis = chosen(answer), sentence = answer.sentences[at];
    const block = answer.conllu.split(/\n\n/)[at];
    const rows = block.split("\n").filter((line) => line).map((line) => {
      const cells = line.split("\t");
      if (line.startsWith("#") || !/^\d+$/.test(cells[0])) return line;
      const word = analysis.words[Number(cells[0]) - 1];
      cells[6] = String(word.head);
      cells[7] = word.deprel;
      return cells.join("\t");
    });
    return { text: rows.join("\n") + "\n\n", name: (sentence.id || "sentence").replace(/[^\w-]+/g, "_").slice(0, 60) };
  }

  // Stepping

  function clearSteps() {
    if (state.stepper) state.stepper.pause();
    state.stepper = null;
    $("steps").replaceChildren();
  }

  async function derive(current, step = 0) {
    const name = $("model").value;
    const system = $("system").value;
    const tree = conllu().text;
    const described = state.catalogue.models.find((one) => one.name === name);
    // A parser of this system shows its own choices; else the tree on show is derived.
    const own = !isGiven() && described && described.system && (system === "" || system === described.system) && state.rank === 0;
    const request = own ? { data: tree, input: "conllu", model: name } :
      { data: tree, input: "conllu", given: true, root: $("root").value, ...(name === GIVEN ? {} : { model: name }) };
    if (system) request.system = system;
    request.layout = $("layout").value;
    request.width = Math.max(280, width() - 34);
    const data = await (await ask("/derive", request)).json();
    if (!current()) return "";
    if (state.stepper) state.stepper.pause();
    const costs = own ? null : async () => (await ask("/derive", { ...request, costs: true })).json();
    state.stepper = mount($("steps"), data, { step, costs, told: () => { if (state.stepper) remember(); } });
    if (document.activeElement === $("derive")) $("steps").querySelector(".stepper").focus({ preventScroll: true });  // for the keys
    remember();
    return `${data.steps.length - 1} transitions`;
  }

  // Editing: what becomes of the sentence is taken into the text, or discarded. Nothing is kept elsewhere.

  function startEditing() {
    clearSteps();
    const { text } = conllu(), model = state.catalogue.models.find((one) => one.name === $("model").value && one.keeps_heads);
    const blocks = state.answers[0].conllu.split(/(?<=\n\n)/);
    state.editing = { at: state.sentence, count: 1 };
    $("editing").hidden = false;
    $("stepping").hidden = true;
    state.editing.editor = CrossarcEditor.mount($("editor"), { data: text, model: model ? model.name : null,
      next: () => { const { at, count } = state.editing; if (!blocks[at + count]) return null; state.editing.count += 1; return blocks[at + count]; },
      leave: () => {} });
    state.editing.editor.ready.then(() => state.editing?.editor.tree.focus());
  }

  function stopEditing() {
    state.editing = null;
    $("editing").hidden = true;
    $("editor").replaceChildren();
    $("stepping").hidden = !state.answers.length;
  }

  async function takeEdited(current) {
    const { at, count, editor } = state.editing;
    if (!editor.whole) throw new Error(editor.view.said[0]);
    const blocks = state.answers[0].conllu.split(/(?<=\n\n)/);
    const text = [...blocks.slice(0, at), editor.data, ...blocks.slice(at + count)].join("");
    visit();
    if (state.parts.length === 1) { $("data").value = text; $("model").value = GIVEN; $("input").value = $("input").dataset.usual; $("other").value = ""; }
    else state.edited.set(state.part, text);
    return parse(current);
  }

  // Exports

  async function wholeText() {
    const texts = [];
    for (let part = 0; part < state.parts.length; part++) {
      say(`part ${part + 1} of ${state.parts.length} …`);
      if (part === state.part && state.rank === 0) texts.push(state.answers[0].conllu);
      else texts.push((await (await ask("/parse", { ...request($("model").value, part), svg: false, scores: false, nbest: 1 })).json()).conllu);
    }
    return texts.join("");
  }

  function download(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function drawn(format) {
    const layout = $("layout").value;
    return (await ask("/draw", { data: conllu().text, format, layout })).text();
  }

  async function png(drawn) {
    const svg = drawn.replace(/<style>[^<]*<\/style>/, "");  // what is left are the light colours
    const size = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const width = Number(size.getAttribute("width")), height = Number(size.getAttribute("height"));
    const scale = Math.min(2, 16000 / Math.max(width, height));
    const image = new Image();
    const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    try {
      image.src = address;
      await image.decode();
      const canvas = element("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((done, failed) => canvas.toBlob((blob) => blob ? done(blob) : failed(new Error("the drawing is too large for PNG: take SVG")), "image/png"));
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  async function exported(kind) {
    if (kind === "all") {
      download(new Blob([await wholeText()], { type: "text/plain" }), "text.conllu");
      return "the whole text was saved as CoNLL-U";
    }
    const { text, name } = conllu();
    if (kind === "conllu") download(new Blob([text], { type: "text/plain" }), `${name}.conllu`);
    else if (kind === "tikz") download(new Blob([await drawn("tikz")], { type: "text/plain" }), `${name}.tex`);
    else if (kind === "svg") download(new Blob([await drawn("svg")], { type: "image/svg+xml" }), `${name}.svg`);
    else download(await png(await drawn("svg")), `${name}.png`);
    return `${name} was saved as ${kind === "tikz" ? "TikZ" : kind === "conllu" ? "CoNLL-U" : kind.toUpperCase()}`;
  }

  async function copyLink() {
    remember();
    try {
      await navigator.clipboard.writeText(location.href);
      return "the link was copied";
    } catch {
      return "the address of this page is the link";
    }
  }

  // Light and dark

  function theme(value) {
    if (value) document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    try { localStorage.setItem("crossarc-theme", value); } catch { /* nothing is kept then */ }
  }

  function turnTheme() {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    theme(dark ? "light" : "dark");
  }

  // The beginning

  function fill(catalogue) {
    state.catalogue = catalogue;
    const models = catalogue.models.map((one) => element("option", { value: one.name },
      `${one.name}${one.language ? " (" + one.language + ")" : ""}`));
    $("model").replaceChildren(...models, element("option", { value: GIVEN }, "none: the trees of CoNLL-U"));
    $("other").replaceChildren(element("option", { value: "" }, "nothing"), ...models.map((one) => one.cloneNode(true)));
    $("system").replaceChildren(element("option", { value: "" }, "that of the model, or 2-planar"),
      ...catalogue.systems.map((one) => element("option", { value: one.name }, one.paper ? `${one.name} (${one.paper})` : one.name)));
    for (const id of Object.values(FIELDS)) $(id).dataset.usual = $(id).tagName === "TEXTAREA" ? "" : $(id).value;
    $("version").textContent = `crossarc ${catalogue.version}`;
  }

  let example = 0;
  function nextExample() {
    const tokenizes = state.catalogue.models.some((one) => one.abilities.includes("tokenizer"));
    const usable = EXAMPLES.filter((text) => tokenizes || text.startsWith("#"));
    const text = usable[example++ % usable.length];
    $("data").value = text;
    if (text.startsWith("#")) $("model").value = GIVEN;
    else if (isGiven()) $("model").selectedIndex = 0;
    state.sentence = state.part = 0;
    visit();
    tried(parse);
  }

  async function start() {
    try { theme(localStorage.getItem("crossarc-theme") || ""); } catch { /* nothing was kept */ }
    $("theme").addEventListener("click", turnTheme);
    fill(await (await ask("/catalogue")).json());
    $("form").addEventListener("submit", (event) => { event.preventDefault(); state.sentence = state.part = 0; visit(); tried(parse); });
    $("data").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit(); });
    $("example").addEventListener("click", nextExample);
    $("sentence").addEventListener("change", () => goTo(Number($("sentence").value)));
    $("previous").addEventListener("click", () => goTo(state.sentence - 1));
    $("next").addEventListener("click", () => goTo(state.sentence + 1));
    $("earlier").addEventListener("click", () => turn(-1));
    $("later").addEventListener("click", () => turn(1));
    $("edit").addEventListener("click", startEditing);
    $("done").addEventListener("click", () => tried(takeEdited));
    $("discard").addEventListener("click", () => { stopEditing(); $("edit").focus(); });
    $("rank").addEventListener("change", () => { state.rank = Number($("rank").value); clearSteps(); show(); });
    $("derive").addEventListener("click", () => { visit(); tried(derive); });
    $("link").addEventListener("click", () => tried(copyLink));
    document.querySelectorAll("[data-export]").forEach((one) => one.addEventListener("click", () => tried(() => exported(one.dataset.export))));
    addEventListener("hashchange", () => { if (location.hash.slice(1) !== settings().toString()) open(); });
    await open();
  }

  // Another part of a long text, from its first sentence or its last.
  function turn(step, last = false) {
    state.part += step;
    state.sentence = last ? Infinity : 0;
    visit();
    tried(parse);
  }

  function goTo(number) {
    if (number < 0) { turn(-1, true); return; }
    if (number >= state.answers[0].sentences.length) { turn(1); return; }
    stopEditing();
    visit();
    state.sentence = number;
    state.rank = 0;
    $("sentence").value = number;
    clearSteps();
    show();
  }

  async function open() {
    const found = restore();
    if (!$("data").value) { clearTrees(); say(""); return; }
    state.part = Math.max(0, (Number(found.get("p")) || 1) - 1);
    state.sentence = Math.max(0, (Number(found.get("k")) || 1) - 1);
    await tried(parse);
    if (found.has("step") && state.answers.length) await tried((current) => derive(current, Number(found.get("step")) || 0));
  }

  start().catch((error) => say(String(error.message || error), true));
})();
