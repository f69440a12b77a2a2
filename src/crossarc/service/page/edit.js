// The editor of a tree: shows sentences, takes edits by mouse and keys, and asks the service what becomes of them.
// CrossarcEditor.mount(holder, options) fills an element; used by the page and by the page of `crossarc annotate`.
"use strict";

const CrossarcEditor = (() => {
  const { element, drawing } = CrossarcSteps;
  const RELATIONS = ("acl acl:relcl advcl advmod amod appos aux aux:pass case cc ccomp clf compound conj cop csubj dep det discourse " +
    "dislocated expl fixed flat goeswith iobj list mark nmod nmod:poss nsubj nsubj:pass nummod obj obl orphan parataxis punct " +
    "reparandum root vocative xcomp").split(" ");
  const TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" ");
  const LINES = ["upos", "lemma"];  // under the words of the drawing
  const DOUBTED = 0.3;  // from here on a word is marked
  const FIELDS = [
    ["form", "Form", "f"], ["lemma", "Lemma", "m"], ["upos", "UPOS", "t"], ["xpos", "XPOS", "x"], ["feats", "Features", "e"],
    ["head", "Head", null], ["deprel", "Relation", "l"], ["misc", "MISC", "i"],
  ];
  const KEYS = [
    ["← →", "previous and next word; with Shift several words"], ["Home End", "first and last word"],
    ["↑ ↓", "head, first dependent"], ["h", "choose the head: ← → move, Enter takes, Esc leaves it"],
    ["r", "make the word a root"], ["Delete", "take its head away"], ["l", "relation"], ["t x", "UPOS, XPOS"],
    ["f m e i", "form, lemma, features, MISC"], ["Enter", "in a field: take it, and go back to the tree"],
    ["u U", "undo, redo; Ctrl+Z and Ctrl+Y likewise"], ["k K", "keep the word’s arc as it is, or no longer; keep all up to the word"],
    ["p", "fix and re-parse: what was set is kept"], ["d", "next word in doubt"],
    ["g G", "multiword token of the words that are selected; undo it"], ["s", "split the word"], ["j", "make one word of those that are selected"],
    ["c", "cut the sentence before the word"], ["J", "join with the next sentence"], ["n b", "next and previous sentence"], ["?", "these keys"],
  ];
  let mounted = 0;

  async function ask(path, data) {
    const response = await fetch(path, data === undefined ? {} : {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });
    if (response.ok) return response.json();
    let message = `the service answered with status ${response.status}`;
    try { message = (await response.json()).error || message; } catch { /* no JSON */ }
    throw Object.assign(new Error(message), { status: response.status });
  }

  // What becomes of the numbers of words, for those that a person has set.
  const moved = (set, map) => new Set([...set].map(map).filter((word) => word > 0));

  class Editor {
    // options: data (one sentence), format, model, file, relations, tags, readOnly; changed(data, whole) after each edit;
    // next() gives the sentence behind, to be joined; leave(step) goes to another sentence.
    constructor(holder, options) {
      this.options = { format: "conllu", changed: () => {}, next: () => null, leave: () => {}, ...options };
      this.number = ++mounted;
      this.state = { views: [], at: 0, word: 1, last: 1, sets: [] };
      this.past = [];
      this.future = [];
      this.choosing = null;  // the head that is being chosen
      this.queue = Promise.resolve();
      this.build(holder);
      this.ready = this.open(options.data);
    }

    get view() { return this.state.views[this.state.at]; }
    get words() { return this.view.words; }
    get set() { return this.state.sets[this.state.at]; }
    get data() { return this.state.views.map((view) => view.data).join(""); }
    get whole() { return this.state.views.every((view) => view.whole); }
    word(number = this.state.word) { return this.words[number - 1]; }

    // Building

    build(holder) {
      const button = (text, label, work) => element("button", { type: "button", title: label, onclick: work }, text);
      const id = (name) => `editor${this.number}-${name}`;
      this.said = element("ul", { class: "described", "aria-live": "polite", "aria-label": "the state of the tree" });
      this.status = element("p", { class: "note", role: "status", "aria-live": "polite" });
      this.root = element("button", { type: "button", class: "root-handle", title: "Drag to a word, or click: the word that is selected becomes a root", onclick: () => this.edit("head", "0") }, "ROOT");
      this.trees = element("div", { class: "edited" });
      this.tree = element("div", { class: "editing", tabindex: 0, role: "application", "aria-roledescription": "tree editor",
        "aria-label": "tree; press the question mark for the keys", onkeydown: (event) => this.key(event) }, this.trees);
      this.tokens = element("p", { class: "tokens note" });
      this.fields = {};
      const panel = element("form", { class: "fields", "aria-label": "the word that is selected", onsubmit: (event) => event.preventDefault() });
      this.title = element("p", { class: "selected-word" });
      panel.append(this.title);
      for (const [name, title, key] of FIELDS) {
        const list = name === "deprel" ? this.listed(id("relations"), RELATIONS, this.options.relations) : name === "upos" ? this.listed(id("tags"), TAGS, this.options.tags) : null;
        const input = element("input", { id: id(name), name, list: list ? list.id : null, autocomplete: "off", spellcheck: "false", dir: "auto", inputmode: name === "head" ? "numeric" : null,
          disabled: this.options.readOnly, onchange: () => this.taken(name, input), onkeydown: (event) => this.fieldKey(event, name, input) });
        this.fields[name] = input;
        panel.append(element("label", { for: id(name) }, title, key ? element("kbd", { "aria-hidden": "true" }, key) : null), input, ...(list ? [list] : []));
      }
      this.words_ = element("input", { id: id("words"), "aria-label": "words to split into, with spaces", placeholder: "de le", autocomplete: "off", hidden: true, onkeydown: (event) => this.splitKey(event) });
      this.undoing = button("Undo", "undo (u)", () => this.undo());
      this.redoing = button("Redo", "redo (U)", () => this.redo());
      this.reparsing = button("Fix and re-parse", "keep what was set, find the rest again (p)", () => this.reparse());
      const changing = [this.undoing, this.redoing, this.reparsing,
        button("Keep this arc", "keep the arc of the word that is selected (k)", () => this.keep()),
        button("Multiword token", "one token of the words that are selected (g)", () => this.group()),
        button("Split word", "split the word that is selected (s)", () => this.askForWords()),
        button("Merge words", "one word of those that are selected (j)", () => this.merge()),
        button("Cut here", "cut the sentence before the word that is selected (c)", () => this.edit("cut")),
        button("Join with next", "join with the next sentence (J)", () => this.join())];
      this.changing = changing;
      const keys = element("details", { class: "keys" }, element("summary", {}, "Keys"),
        element("dl", {}, ...KEYS.flatMap(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)])));
      this.keys = keys;
      this.frame = element("section", { class: "editor", "aria-label": "editor" },
        element("div", { class: "controls" }, this.root, ...changing, this.words_),
        this.tree, this.tokens, this.status, this.said, panel, keys);
      holder.replaceChildren(this.frame);
      if (this.options.readOnly) for (const one of [this.root, ...changing]) one.disabled = true;
      this.reparsing.disabled ||= !this.options.model;
      this.watchPointer();
    }

    listed(id, usual, more) {
      const names = [...new Set([...(more || []), ...usual])].filter((name) => name !== "_").sort();
      return element("datalist", { id }, ...names.map((name) => element("option", { value: name })));
    }

    // The work of the service, one request after the other, so that quick typing is never overtaken.

    then(work) {
      const done = this.queue.then(work).catch((error) => this.say(String(error.message || error), true));
      this.queue = done;
      return done;
    }

    say(text, error = false) {
      this.status.textContent = text;
      this.status.classList.toggle("error", error);
    }

    asked(more) {
      const width = Math.max(280, Math.min(4000, this.tree.clientWidth - 24));
      return { format: this.options.format, width, ...(this.options.model ? { model: this.options.model } : {}), ...more };
    }

    open(data) {
      return this.then(async () => {
        const { sentences } = await ask("/edit", this.asked({ data }));
        this.state = { views: sentences, at: 0, word: 1, last: 1, sets: sentences.map(() => new Set()) };
        this.show();
      });
    }

    // An edit of the word that is selected, or of another.
    edit(kind, value = "", { word = this.state.word, last = 0 } = {}) {
      if (this.options.readOnly) return this.queue;
      return this.then(async () => {
        const { views, at } = this.state;
        const joined = kind === "join" ? 2 : 1;
        const data = views.slice(at, at + joined).map((view) => view.data).join("");
        const { sentences } = await ask("/edit", this.asked({ data, edit: { kind, word, value, last } }));
        this.change(sentences, joined, this.setsAfter(kind, word, last, sentences));
      });
    }

    // The words that a person has set, with the numbers that they have after an edit.
    setsAfter(kind, word, last, sentences) {
      const { views, at, sets } = this.state, set = sets[at];
      if (kind === "head" || kind === "deprel") return [new Set([...set, word])];
      const more = sentences[0].words.length - views[at].words.length;
      if (kind === "split") return [moved(set, (one) => one > word ? one + more : one)];
      if (kind === "merge") return [moved(set, (one) => one < word ? one : one > last ? one + more : 0)];
      if (kind === "cut") return [moved(set, (one) => one < word ? one : 0), moved(set, (one) => one - word + 1)];
      if (kind === "join") return [new Set([...set, ...moved(sets[at + 1], (one) => one + views[at].words.length)])];
      return [new Set(set)];
    }

    change(sentences, replaced, sets) {
      this.past.push(this.state);
      this.future = [];
      const { views, at, word } = this.state;
      const next = (list, items) => [...list.slice(0, at), ...items, ...list.slice(at + replaced)];
      const kept = Math.max(1, Math.min(word, sentences[0].words.length));
      this.state = { views: next(views, sentences), at, word: kept, last: kept, sets: next(this.state.sets, sets) };
      this.changed();
    }

    changed() {
      this.choosing = null;
      this.show();
      this.say(this.whole ? "" : "This is not a tree yet: it is kept here, and saved when it is one.");
      this.options.changed(this.data, this.whole);
    }

    undo() {
      return this.then(() => {
        if (!this.past.length) { this.say("There is nothing to undo."); return; }
        this.future.push(this.state);
        this.state = this.past.pop();
        this.changed();
      });
    }

    redo() {
      return this.then(() => {
        if (!this.future.length) { this.say("There is nothing to redo."); return; }
        this.past.push(this.state);
        this.state = this.future.pop();
        this.changed();
      });
    }

    where() { return this.options.file ? { file: this.options.file } : {}; }

    // Have the service read the sentence before it is asked to parse it again.
    prepare() {
      if (!this.options.readOnly && this.options.model) ask("/annotation/prepare", this.asked({ data: this.view.data, keep: [], ...this.where() })).catch(() => {});
    }

    reparse() {
      if (this.options.readOnly || !this.options.model) return this.queue;
      return this.then(async () => {
        const before = this.words, set = this.set;
        const { sentences } = await ask("/reparse", this.asked({ data: this.view.data, keep: [...set], ...this.where() }));
        const others = sentences[0].words.filter((word, at) => word.head !== before[at].head || word.deprel !== before[at].deprel).length;
        if (!others) {  // but for the doubt that is left
          this.state.views[this.state.at] = sentences[0];
          this.show();
          this.say("Nothing else changes.");
          return;
        }
        this.change(sentences, 1, [new Set(set)]);
        this.say(`${set.size} kept, ${others} changed.`);
      });
    }

    keep() {
      if (this.options.readOnly) return;
      this.then(() => {
        const { word } = this.state, set = new Set(this.set);
        if (!set.delete(word)) set.add(word);
        this.change([this.view], 1, [set]);
        this.say(set.has(word) ? `${this.word().form} is kept.` : `${this.word().form} is not kept.`);
      });
    }

    // Who reads from left to right has found right what stands before.
    keepBefore() {
      if (this.options.readOnly) return;
      this.then(() => {
        const { word } = this.state;
        this.change([this.view], 1, [new Set([...this.set, ...Array.from({ length: word }, (_, index) => index + 1)])]);
        this.say(`${word} kept.`);
      });
    }

    group() {
      const token = this.view.tokens.find(({ first, last }) => first <= this.state.word && this.state.word <= last);
      if (token) return this.edit("ungroup", "", { word: token.first });
      const [first, last] = this.span(true);
      return this.edit("group", "", { word: first, last });
    }

    merge() {
      const token = this.view.tokens.find(({ first, last }) => first <= this.state.word && this.state.word <= last);
      const [first, last] = token && this.state.last === this.state.word ? [token.first, token.last] : this.span(true);
      return this.edit("merge", "", { word: first, last });
    }

    // The words that are selected; if it is one alone, with the next.
    span(two = false) {
      const { word, last } = this.state;
      const [first, end] = [Math.min(word, last), Math.max(word, last)];
      return [first, two && first === end ? end + 1 : end];
    }

    askForWords() {
      this.words_.hidden = false;
      this.words_.value = this.word().form;
      this.words_.focus();
      this.words_.select();
    }

    splitKey(event) {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      this.words_.hidden = true;
      if (event.key === "Enter") this.edit("split", this.words_.value);
      this.tree.focus();
    }

    join() {
      return this.then(async () => {
        if (this.state.at + 1 < this.state.views.length) return;
        const data = await this.options.next();
        if (data === null) throw new Error("There is no next sentence.");
        const { sentences } = await ask("/edit", this.asked({ data }));
        // What can be undone has the sentence behind, too: else it would vanish with the joining.
        const longer = (state) => ({ ...state, views: [...state.views, ...sentences], sets: [...state.sets, ...sentences.map(() => new Set())] });
        this.state = longer(this.state);
        this.past = this.past.map(longer);
        this.future = this.future.map(longer);
      }).then(() => this.state.at + 1 < this.state.views.length ? this.edit("join") : null);
    }

    // Showing

    show() {
      const { views, at, word, last } = this.state;
      const drawings = views.map((view, number) => {
        const svg = drawing(view.svg);
        svg.dataset.part = number;
        return element("div", { class: `drawing${number === at ? " current" : ""}` }, svg);
      });
      this.trees.replaceChildren(...drawings);
      views.forEach((view, number) => this.mark(drawings[number].firstChild, view, this.state.sets[number]));
      this.svg = drawings[at].firstChild;
      this.said.replaceChildren(...this.view.said.map((line) => element("li", {}, line)));
      this.said.classList.toggle("error", !this.view.whole);
      this.tokens.replaceChildren(...this.view.tokens.flatMap(({ first, last: end, form }) => [
        element("button", { type: "button", disabled: this.options.readOnly, title: "undo the multiword token", onclick: () => this.edit("ungroup", "", { word: first }) },
          element("bdi", {}, form), ` ${first}–${end} ×`), " "]));
      this.tokens.hidden = !this.view.tokens.length;
      this.undoing.disabled = this.options.readOnly || !this.past.length;
      this.redoing.disabled = this.options.readOnly || !this.future.length;
      this.select(word, last);
    }

    mark(svg, view, set) {
      view.words.forEach((word, index) => {
        const number = index + 1, doubted = (word.doubt || 0) >= DOUBTED && !set.has(number);
        const text = svg.querySelector(`[data-word="${number}"]`);
        text.classList.toggle("doubted", doubted);
        text.classList.toggle("kept", set.has(number));
        if (doubted) text.append(document.createElementNS("http://www.w3.org/2000/svg", "title"));
        if (doubted) text.lastChild.textContent = `in doubt: ${Math.round(100 * word.doubt)} %`;
        svg.querySelector(`g.arc[data-dependent="${number}"]`)?.classList.toggle("kept", set.has(number));
      });
    }

    select(word, last = word) {
      const most = this.words.length;
      this.state.word = Math.max(1, Math.min(word, most));
      this.state.last = Math.max(1, Math.min(last, most));
      const [first, end] = this.span();
      this.svg.querySelectorAll("[data-word]").forEach((one) => {
        const number = Number(one.dataset.word);
        one.classList.toggle("selected", number >= first && number <= end);
        one.classList.toggle("candidate", number === this.choosing);
      });
      this.svg.querySelectorAll("g.arc").forEach((arc) => arc.classList.toggle("selected", Number(arc.dataset.dependent) === this.state.word));
      const row = this.word();
      for (const [name] of FIELDS) if (document.activeElement !== this.fields[name]) this.fields[name].value = row[name] === "_" ? "" : row[name];
      this.title.replaceChildren(...this.described(row));
      this.svg.querySelector(`[data-word="${this.choosing || this.state.word}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    described(row) {
      const head = row.head === "_" ? "without a head" : row.head === "0" ? "a root" : `${row.deprel} of ${this.word(Number(row.head)).form} (${row.head})`;
      const doubt = row.doubt === undefined ? "" : `, doubt ${Math.round(100 * row.doubt)} %`;
      const kept = this.set.has(Number(row.id)) ? ", kept" : "";
      return [element("strong", {}, element("bdi", {}, row.form)), ` (${row.id} of ${this.words.length}), ${row.upos}, ${head}${doubt}${kept}`];
    }

    announce() {
      this.say(this.choosing === null ? this.title.textContent : `Head of ${this.word().form}: ${this.choosing ? this.word(this.choosing).form : "root"}? Enter takes it.`);
    }

    // Keys

    key(event) {
      if (event.altKey || event.target !== this.tree) return;
      const control = event.ctrlKey || event.metaKey;
      if (control) {
        if (event.key.toLowerCase() === "z") { event.preventDefault(); if (event.shiftKey) this.redo(); else this.undo(); }
        else if (event.key.toLowerCase() === "y") { event.preventDefault(); this.redo(); }
        return;
      }
      const work = this.choosing === null ? this.work(event) : this.headWork(event);
      if (!work) return;
      event.preventDefault();
      work();
    }

    rightToLeft() {
      const at = (word) => this.svg.querySelector(`[data-word="${word}"]`).getBoundingClientRect().x;
      return this.words.length > 1 && at(1) > at(this.words.length);
    }

    step(key) {
      return key === "Home" ? -this.words.length : key === "End" ? this.words.length :
        (key === "ArrowLeft") === this.rightToLeft() ? 1 : -1;
    }

    work(event) {
      const { word, last } = this.state, row = this.word();
      const to = (number, end = number) => () => { this.select(number, end); this.announce(); };
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
        const step = this.step(event.key);
        if (!event.shiftKey && word + step > this.words.length && this.state.at + 1 < this.state.views.length && event.key !== "End") return () => this.part(1);
        if (!event.shiftKey && word + step < 1 && this.state.at && event.key !== "Home") return () => this.part(-1);
        return event.shiftKey ? to(word, last + step) : to(word + step);
      }
      if (event.key === "ArrowUp") return Number(row.head) > 0 ? to(Number(row.head)) : () => {};
      if (event.key === "ArrowDown") return to(this.words.findIndex((one) => one.head === String(word)) + 1 || word);
      const field = FIELDS.find(([, , key]) => key && key === event.key);
      if (field) return () => this.focusField(field[0]);
      return {
        h: () => { if (this.options.readOnly) return; this.choosing = Number(row.head) || word; this.select(word); this.announce(); },
        r: () => this.edit("head", "0"), Delete: () => this.edit("head", "_"), Backspace: () => this.edit("head", "_"),
        u: () => this.undo(), U: () => this.redo(), p: () => this.reparse(), k: () => this.keep(), K: () => this.keepBefore(), d: () => this.nextDoubt(),
        g: () => this.group(), G: () => this.group(), s: () => this.askForWords(), j: () => this.merge(), c: () => this.edit("cut"), J: () => this.join(),
        n: () => this.options.leave(1), b: () => this.options.leave(-1),
        "?": () => { this.keys.open = !this.keys.open; if (this.keys.open) this.keys.scrollIntoView({ block: "nearest" }); },
        Escape: () => this.select(word),
      }[event.key];
    }

    headWork(event) {
      const { word } = this.state;
      const to = (number) => () => { this.choosing = Math.max(0, Math.min(number, this.words.length)); this.select(word); this.announce(); };
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return to(this.choosing + this.step(event.key));
      const leave = () => { this.choosing = null; this.select(word); this.announce(); };
      return {
        Enter: () => { const head = this.choosing; leave(); this.edit("head", String(head)); },
        Escape: leave, h: leave, r: () => { leave(); this.edit("head", "0"); }, 0: () => { leave(); this.edit("head", "0"); },
      }[event.key];
    }

    part(step) {
      this.state = { ...this.state, at: this.state.at + step, word: 1, last: 1 };
      if (step < 0) this.state.word = this.state.last = this.words.length;
      this.show();
      this.announce();
    }

    nextDoubt() {
      const { word } = this.state, most = this.words.length;
      for (let step = 1; step <= most; step++) {
        const number = (word - 1 + step) % most + 1;
        if ((this.word(number).doubt || 0) >= DOUBTED && !this.set.has(number)) { this.select(number); this.announce(); return; }
      }
      this.say("No word is in doubt.");
    }

    focusField(name) {
      const input = this.fields[name];
      if (input.disabled) return;
      input.focus();
      input.select();
    }

    fieldKey(event, name, input) {
      if (event.key === "Escape") { input.value = this.word()[name] === "_" ? "" : this.word()[name]; this.tree.focus(); }
      else if (event.key === "Enter") { event.preventDefault(); this.taken(name, input); this.tree.focus(); }
    }

    taken(name, input) {
      const before = this.word()[name] === "_" ? "" : this.word()[name];
      const value = input.value.trim();
      if (value !== before && input.dataset.sent !== `${this.past.length} ${value}`) {
        input.dataset.sent = `${this.past.length} ${value}`;  // leaving the field after Enter is no second change
        this.edit(name, value);
      }
    }

    // The mouse, a pen or a finger: from the head to the dependent.

    watchPointer() {
      let from = null, line = null;
      const target = (event) => {
        const hit = document.elementFromPoint(event.clientX, event.clientY);
        return hit && this.trees.contains(hit) ? hit : null;
      };
      const point = (event) => {
        const box = this.svg.getBoundingClientRect(), view = this.svg.viewBox.baseVal;
        return [(event.clientX - box.x) * view.width / box.width, (event.clientY - box.y) * view.height / box.height];
      };
      const end = () => { line?.remove(); from = line = null; this.frame.classList.remove("dragging"); };
      const begin = (event, number) => {
        if (event.button || this.options.readOnly) return;
        from = { number, x: event.clientX, y: event.clientY };
        event.preventDefault();
      };
      this.root.addEventListener("pointerdown", (event) => { begin(event, 0); this.root.releasePointerCapture?.(event.pointerId); });
      this.trees.addEventListener("pointerdown", (event) => {
        const hit = event.target.closest("[data-word], [data-line], g.arc");
        this.tree.focus({ preventScroll: true });
        if (!hit) return;
        const part = Number(hit.ownerSVGElement.dataset.part);
        if (part !== this.state.at) { this.state = { ...this.state, at: part, word: 1, last: 1 }; this.show(); return; }
        if (hit.dataset.word) {
          const number = Number(hit.dataset.word);
          if (event.shiftKey) { this.select(this.state.word, number); this.announce(); event.preventDefault(); return; }
          begin(event, number);
          if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
        }
      });
      const watched = new AbortController();
      const on = (name, work) => addEventListener(name, (event) => {
        if (!this.frame.isConnected) watched.abort();
        else if (from) work(event);
      }, { signal: watched.signal });
      on("pointermove", (event) => {
        if (!line && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 6) return;
        if (!line) {
          line = document.createElementNS("http://www.w3.org/2000/svg", "path");
          line.setAttribute("class", "dragged");
          this.svg.append(line);
          this.frame.classList.add("dragging");
        }
        const [x, y] = point(event), [a, b] = point({ clientX: from.x, clientY: from.y });
        line.setAttribute("d", `M${a} ${b}L${x} ${y}`);
      });
      on("pointerup", (event) => {
        const { number } = from, dragged = Boolean(line);
        end();
        if (!dragged) { if (number) { this.select(number); this.announce(); } return; }
        const word = Number(target(event)?.closest("[data-word]")?.dataset.word);
        if (!word) { this.say("An arc goes from a word to a word."); return; }
        this.select(word);
        this.edit("head", String(number), { word });
      });
      on("pointercancel", end);
      this.trees.addEventListener("click", (event) => {
        const arc = event.target.closest("g.arc"), text = event.target.closest("[data-line]");
        if (arc) this.clicked(arc, Number(arc.dataset.dependent), event.target.matches("text, rect") ? "deprel" : null);
        else if (text) this.clicked(text, Number(text.dataset.of), LINES[text.dataset.line]);
      });
      this.trees.addEventListener("dblclick", (event) => {
        const word = event.target.closest("[data-word]");
        if (word) this.clicked(word, Number(word.dataset.word), "form");
      });
    }

    clicked(hit, word, field) {
      if (hit.ownerSVGElement !== this.svg) return;
      this.select(word);
      this.announce();
      if (field) this.focusField(field);
    }
  }

  return { mount: (holder, options) => new Editor(holder, options), ask };
})();
