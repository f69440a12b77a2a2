// The page of `crossarc annotate`: lists the sentences of files, opens one in the editor, and saves every whole tree.
"use strict";

(() => {
  const { element, drawing } = CrossarcSteps;
  const { mount, ask } = CrossarcEditor;
  const $ = (id) => document.getElementById(id);
  const LISTED = 50, LOOKED_AT = 100;
  const state = { files: [], readOnly: false, start: 0, total: 0, listed: [], ranks: null, open: null, editor: null, saving: Promise.resolve() };

  function say(text, error = false) {
    $("status").textContent = text;
    $("status").classList.toggle("error", error);
  }

  const tried = (work) => Promise.resolve().then(work).catch((error) => say(String(error.message || error), true));
  const file = () => state.files.find((one) => one.name === $("file").value);

  // Drafts: a tree that is not finished is in no file; this browser keeps it until it is.

  const draftName = (version) => `crossarc-draft ${file().name} ${version}`;
  function draft(version, data) {
    try {
      if (data === undefined) return localStorage.getItem(draftName(version));
      if (data === null) localStorage.removeItem(draftName(version));
      else localStorage.setItem(draftName(version), data);
    } catch { /* nothing is kept then */ }
    return null;
  }

  // The list

  async function inOrder() {
    const kind = $("order").value, { sentences: total, name } = file();
    state.ranks = null;
    if (kind === "file") return;
    const values = [];
    for (let start = 0; start < total; start += LOOKED_AT) {
      say(`looked at ${start} of ${total} sentences …`);
      const request = { file: name, start, count: LOOKED_AT };
      if (kind === "doubt") values.push(...(await ask("/annotation/doubt", { ...request, model: $("model").value })).doubts);
      else values.push(...(await ask("/annotation/differences", request)).differences);
    }
    say("");
    state.ranks = values.map((value, index) => ({ value, index })).sort((one, other) => other.value - one.value || one.index - other.index);
  }

  async function list() {
    const name = file().name;
    if (!state.ranks) {
      const found = await ask("/annotation/sentences", { file: name, start: state.start, count: LISTED });
      state.total = found.total;
      state.listed = found.sentences;
    } else {
      state.total = state.ranks.length;
      const shown = state.ranks.slice(state.start, state.start + LISTED);
      state.listed = await Promise.all(shown.map(async ({ index, value }) =>
        ({ ...(await ask("/annotation/sentences", { file: name, start: index, count: 1 })).sentences[0], value })));
    }
    showList();
  }

  function showList() {
    $("sentences").replaceChildren(...state.listed.map((sentence, at) => {
      const rank = sentence.value === undefined ? "" : $("order").value === "doubt" ? ` · ${(100 * sentence.value).toFixed(1)} % in doubt` : ` · ${sentence.value} different`;
      const current = state.open !== null && state.open.index === sentence.index;
      return element("li", {}, element("button", { type: "button", "aria-current": current ? "true" : null, onclick: () => tried(() => open(at)) },
        element("span", { class: "count" }, `${sentence.index + 1}${rank}`), " ", element("bdi", {}, sentence.text)));
    }));
    const last = Math.min(state.total, state.start + LISTED);
    $("pages").hidden = state.total <= LISTED;
    $("page").textContent = `${state.start + 1}–${last} of ${state.total}`;
    $("back").disabled = state.start === 0;
    $("forth").disabled = last === state.total;
  }

  async function turn(step) {
    const start = state.start + step * LISTED;
    if (start < 0 || start >= state.total) return false;
    state.start = start;
    await list();
    return true;
  }

  // A sentence

  async function open(at, focus = true) {
    await state.saving;
    const sentence = (await ask("/annotation/sentences", { file: file().name, start: state.listed[at].index, count: 1 })).sentences[0];
    const { index, version, data, other } = sentence;
    state.open = { at, index, versions: [version], other };
    const kept = state.readOnly ? null : draft(version);
    const { format, deprel, upos } = file();
    state.editor = mount($("editor"), {
      data, format, model: $("model").value, file: file().name, relations: deprel, tags: upos, readOnly: state.readOnly,
      changed: (text, whole) => { changed(text, whole); showOther(); }, next, leave: (step) => tried(() => leave(step)),
    });
    await state.editor.ready;
    if (kept !== null) await state.editor.open(kept).then(() => say("what was not finished here was kept"));
    showList();
    await showOther();
    state.editor.prepare();
    history.replaceState(null, "", `#${new URLSearchParams({ f: file().name, s: index + 1 })}`);
    if (focus) state.editor.tree.focus();
  }

  async function leave(step) {
    const at = state.open.at + step;
    if (at >= 0 && at < state.listed.length) await open(at);
    else if (await turn(step)) await open(step > 0 ? 0 : state.listed.length - 1);
    else say(step > 0 ? "this was the last sentence" : "this is the first sentence");
  }

  async function next() {
    const behind = state.open.index + state.open.versions.length;
    const found = (await ask("/annotation/sentences", { file: file().name, start: behind, count: 1 })).sentences[0];
    if (!found) return null;
    state.open.versions.push(found.version);
    return found.data;
  }

  // Every whole tree is saved at once, one after the other.
  function changed(data, whole) {
    if (state.readOnly) return;
    const known = state.open;
    if (!whole) { draft(known.versions[0], data); return; }
    state.saving = state.saving.then(() => tried(async () => {
      let saved;
      try {
        saved = await ask("/annotation/save", { file: file().name, sentence: known.index, versions: known.versions, data });
      } catch (error) {
        if (error.status === 409) conflict(error.message);
        throw error;
      }
      draft(known.versions[0], null);
      known.index = saved.sentences[0].index;
      known.versions = saved.sentences.map((one) => one.version);
      const moved = saved.total !== file().sentences;
      file().sentences = saved.total;
      if (moved) {  // sentences have other numbers now
        state.ranks = null;
        $("order").value = "file";
        state.start = Math.floor(known.index / LISTED) * LISTED;
        await list();
        known.at = known.index - state.start;
      } else if (state.listed[known.at]) { Object.assign(state.listed[known.at], saved.sentences[0]); showList(); }
      say("saved");
    }));
  }

  function conflict(message) {
    const theirs = element("button", { type: "button", onclick: () => tried(() => open(state.open.at)) }, "Show theirs");
    state.editor.say("");
    state.editor.status.append(element("span", { class: "error", role: "alert" }, message, " "), theirs);
  }

  // A second annotation beside the first: a click takes its arc.

  async function showOther() {
    const place = $("other"), { other } = state.open;
    place.hidden = !other;
    if (!other) return;
    const [theirs] = (await ask("/edit", { data: other, format: file().format, width: Math.max(280, $("editor").clientWidth - 24) })).sentences;
    const mine = state.editor.words;
    const same = mine.length === theirs.words.length && mine.every((word, at) => word.form === theirs.words[at].form);
    if (!same) { place.replaceChildren(element("h2", {}, file().other), element("p", { class: "note" }, "The words are others here: arcs cannot be compared.")); return; }
    const differing = theirs.words.filter((word, at) => word.head !== mine[at].head || word.deprel !== mine[at].deprel);
    const svg = drawing(theirs.svg), numbers = new Set(differing.map((word) => word.id));
    svg.querySelectorAll("g.arc").forEach((arc) => {
      const word = arc.dataset.dependent;
      arc.classList.toggle("differs", numbers.has(word));
      if (numbers.has(word)) arc.addEventListener("click", () => take(theirs.words[word - 1]));
    });
    state.editor.svg.querySelectorAll("g.arc").forEach((arc) => arc.classList.toggle("differs", numbers.has(arc.dataset.dependent)));
    const arc = (word, words) => word.head === "_" ? "no head" : `${word.deprel} of ${word.head === "0" ? "ROOT" : words[word.head - 1].form}`;
    place.replaceChildren(element("h2", {}, file().other), element("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": "the tree of the second annotation" }, svg),
      element("p", { class: "note" }, differing.length ? `${differing.length} of ${mine.length} words differ; a click on an arc or a button takes the second annotation’s.` : "The two annotations are the same."),
      element("ul", { class: "differing" }, ...differing.map((word) => element("li", {}, element("bdi", {}, word.form), `: ${arc(mine[word.id - 1], mine)} `,
        element("button", { type: "button", disabled: state.readOnly, onclick: () => take(word) }, `take ${arc(word, theirs.words)}`)))));
  }

  async function take(word) {
    const number = Number(word.id), editor = state.editor;
    editor.select(number);
    if (editor.word(number).head !== word.head) await editor.edit("head", word.head, { word: number });
    if (editor.word(number).deprel !== word.deprel) await editor.edit("deprel", word.deprel, { word: number });
  }

  // The beginning

  function showAgreement() {
    const { agreement, other } = file();
    $("agreement").hidden = !agreement;
    if (!agreement) return;
    const percent = (share) => (100 * share).toFixed(1);
    $("agreement").textContent = agreement.error || `Agreement with ${other}: UAS ${percent(agreement.uas)}, LAS ${percent(agreement.las)}, ` +
      `kappa of labels ${agreement.kappa.toFixed(3)}; ${agreement.same_sentences} of ${agreement.sentences} sentences are the same.`;
  }

  async function choose(sentence = 0) {
    state.start = Math.floor(sentence / LISTED) * LISTED;
    $("order").querySelector("[value=differences]").disabled = !file().other;
    $("order").querySelector("[value=doubt]").disabled = !$("model").value;
    if ($("order").selectedOptions[0].disabled) $("order").value = "file";
    showAgreement();
    await inOrder();
    await list();
    if (state.listed.length) await open(Math.min(sentence - state.start, state.listed.length - 1), false);
  }

  async function start() {
    const [catalogue, annotation] = await Promise.all([ask("/catalogue"), ask("/annotation")]);
    state.files = annotation.files;
    state.readOnly = annotation.read_only;
    $("file").replaceChildren(...state.files.map(({ name }) => element("option", { value: name }, name)));
    const models = catalogue.models.map(({ name }) => element("option", { value: name }, name));
    $("model").replaceChildren(...models, element("option", { value: "" }, "none"));
    $("about").textContent = state.readOnly ? "Looking at trees: nothing is saved" : "Correcting trees: every whole tree is saved at once";
    $("file").addEventListener("change", () => tried(() => choose()));
    $("model").addEventListener("change", () => tried(() => choose()));
    $("order").addEventListener("change", () => tried(() => choose()));
    $("back").addEventListener("click", () => tried(() => turn(-1)));
    $("forth").addEventListener("click", () => tried(() => turn(1)));
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (state.files.some(({ name }) => name === wanted.get("f"))) $("file").value = wanted.get("f");
    await choose(Math.max(0, Math.min(file().sentences, Number(wanted.get("s")) || 1) - 1));
  }

  tried(start);
})();
