// Stepping through a derivation: shows the data of /derive and decides nothing itself.
// CrossarcSteps.mount(place, data) fills an element; used by the page and by files for lectures.
"use strict";

const CrossarcSteps = (() => {
  const SHOWN = 12;  // words of a stack or buffer
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (key === "class") made.className = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // Drawings come from the service as XML; nothing in them is run.
  function drawing(svg) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
    const root = parsed.documentElement;
    if (root.nodeName !== "svg") return element("p", {}, "The drawing cannot be shown.");
    root.querySelectorAll("script, foreignObject").forEach((one) => one.remove());
    return document.importNode(root, true);
  }

  const upper = (name) => name.toUpperCase().replaceAll("_", "-");

  class Stepper {
    constructor(place, data, options = {}) {
      this.data = data;
      this.at = 0;
      this.timer = null;
      this.words = ["ROOT", ...data.words];
      this.told = options.told || (() => {});
      this.costs = options.costs || null;  // asks for the data with costs, where they are not there yet
      this.choosing = false;
      this.picked = { right: 0, all: 0 };
      this.rightToLeft = data.words.filter((word) => RIGHT_TO_LEFT.test(word)).length * 2 > data.words.length;
      this.build(place);
      this.show(Math.min(options.step || 0, data.steps.length - 1));
    }

    build(place) {
      const last = this.data.steps.length - 1;
      const button = (text, label, work) => element("button", { type: "button", "aria-label": label, title: label, onclick: work }, text);
      this.title = element("p", { class: "step-title", "aria-live": "polite" });
      this.slider = element("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "step", oninput: () => { this.pause(); this.show(Number(this.slider.value)); } });
      this.playing = button("Play", "play", () => this.toggle());
      this.speed = element("input", { type: "range", min: 1, max: 10, value: 4, "aria-label": "speed" });
      this.picture = element("div", { class: "drawing step-drawing", tabindex: 0, "aria-label": "the arcs built so far", dir: this.rightToLeft ? "rtl" : null });
      this.svg = drawing(this.data.svg);
      this.picture.append(this.svg);
      this.arcs = this.findArcs();
      this.structures = element("div", { class: "structures", dir: this.rightToLeft ? "rtl" : "ltr" });
      this.choices = element("div", { class: "choices" });
      this.verdict = element("p", { class: "verdict", role: "status", "aria-live": "polite", hidden: true });
      this.yourself = element("button", { type: "button", "aria-pressed": "false", hidden: !this.data.costs && !this.costs, onclick: () => this.toggleChoosing() }, "Choose the transition yourself");
      this.root = element("section", { class: "stepper", tabindex: 0, "aria-label": "stepping through the parse", onkeydown: (event) => this.key(event) },
        this.about(),
        element("div", { class: "controls" },
          button("|◀", "first step", () => { this.pause(); this.show(0); }),
          button("◀", "one step back", () => { this.pause(); this.show(this.at - 1); }),
          this.playing,
          button("▶", "one step forward", () => { this.pause(); this.show(this.at + 1); }),
          button("▶|", "last step", () => { this.pause(); this.show(last); }),
          this.slider,
          element("label", { class: "speed" }, "speed ", this.speed), this.yourself),
        this.title, this.structures, this.picture, this.verdict, this.choices,
        element("p", { class: "note" }, "Keys: ← and → step, Home and End jump, the space bar plays; c chooses yourself, then 1, 2, … pick a transition."));
      place.replaceChildren(this.root);
      // A long sentence has one word a line: the drawing scrolls by itself, so that stacks and buttons stay in view.
      this.upright = this.svg.clientHeight > innerHeight * 0.6;
      this.root.classList.toggle("upright", this.upright);
    }

    about() {
      const { system, source, method, lost, added, root } = this.data;
      const who = source === "parser" ? "The transitions that the parser chose, with its scores." :
        `The transitions of the oracle (by ${method})${this.data.scores ? ", scored by the parser" : ""}.`;
      const parts = [element("strong", {}, system.name), system.paper ? ` (${system.paper}). ` : ". ", who];
      if (root !== "none") parts.push(` The artificial root stands ${root}.`);
      if (lost.length) {
        const named = lost.slice(0, 8).map(([head, dependent]) => `${this.words[head]} → ${this.words[dependent]}`).join(", ");
        parts.push(` The system cannot build ${lost.length === 1 ? "one arc" : lost.length + " arcs"} of this tree: ${named}${lost.length > 8 ? " …" : ""}.`);
      }
      if (added) parts.push(` It builds ${added} that the tree does not have.`);
      return element("p", { class: "about" }, ...parts);
    }

    // For each arc of the drawing the step at which it is built, or -1.
    findArcs() {
      const built = new Map();
      this.data.steps.forEach((step, number) => {
        for (const [head, dependent] of step.added || []) {
          built.set(`${head}-${dependent}`, number);
          if (this.data.system.undirected) built.set(`${dependent}-${head}`, number);
        }
      });
      const last = this.data.steps.length - 1;
      return [...this.svg.querySelectorAll("g.arc")].map((arc) => {
        const key = `${arc.dataset.head}-${arc.dataset.dependent}`;
        const leftOver = arc.dataset.head === "0" && !built.has(key);  // a root that nothing attaches
        return { arc, from: leftOver ? last : built.has(key) ? built.get(key) : -1 };
      });
    }

    chip(word, more = "") {
      return element("li", { class: `chip ${more}` }, element("bdi", {}, this.words[word]), element("sub", {}, String(word)));
    }

    row(name, words, { top = null, active = false, first = null } = {}) {
      const chips = words.map((word, place) =>
        this.chip(word, (top === "last" && place === words.length - 1) || (first === "first" && place === 0) ? "front" : ""));
      const more = chips.length - SHOWN;
      if (more > 2) {  // the end that nothing happens at is shortened
        const rest = element("li", { class: "more" }, `… ${more} more`);
        if (top) chips.splice(0, more, rest);
        else chips.splice(SHOWN, more, rest);
      }
      const list = element("ol", { class: "chips", "aria-label": name }, ...chips);
      const marked = active ? element("span", { class: "marked" }, " active") : null;
      return element("div", { class: `structure${active ? " active" : ""}${top ? " stack" : ""}` },
        element("span", { class: "name" }, name, marked), words.length ? list : element("span", { class: "empty" }, "empty"));
    }

    show(number) {
      this.at = Math.max(0, Math.min(number, this.data.steps.length - 1));
      const step = this.data.steps[this.at];
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", `step ${this.at} of ${this.data.steps.length - 1}`);
      this.title.replaceChildren(...this.described(step));
      this.showStructures(step);
      for (const { arc, from } of this.arcs) {
        arc.classList.toggle("future", from > this.at);
        arc.classList.toggle("newest", from === this.at && this.at > 0);
        arc.classList.toggle("lost", from < 0);
      }
      this.showWords(step);
      this.showChoices(step);
      this.told(this.at);
    }

    described(step) {
      const count = element("span", { class: "count" }, `${this.at} / ${this.data.steps.length - 1} `);
      if (!this.at) return [count, "Start: all words are in the buffer."];
      const one = this.data.system.transitions[step.transition];
      const position = step.position ? `(${step.position})` : "";
      const parts = [count, element("strong", {}, upper(one.name) + position)];
      for (const [head, dependent] of step.added || []) {
        const sign = this.data.system.undirected ? " — " : " → ";
        parts.push(" ", element("bdi", {}, this.words[head]), sign, element("bdi", {}, this.words[dependent]), step.label ? ` (${step.label})` : "");
      }
      if (step.next === null) parts.push(" End.");
      return parts;
    }

    showStructures(step) {
      const rows = step.stacks.map((stack, number) => this.row(
        this.data.system.lists ? "list λ1" : step.stacks.length > 1 ? `stack ${number + 1}` : "stack",
        stack, { top: "last", active: step.stacks.length > 1 && number === step.active }));
      if (this.data.system.lists) rows.push(this.row("list λ2", step.aside));
      rows.push(this.row("buffer", step.buffer, { first: "first" }));
      this.structures.replaceChildren(...rows);
    }

    showWords(step) {
      const stacked = new Set(step.stacks.flat().concat(step.aside)), waiting = new Set(step.buffer);
      const active = step.stacks[step.active] || [];
      if (this.upright) {
        const next = this.svg.querySelector(`[data-word="${step.buffer.find((word) => word > 0) || this.data.words.length}"]`);
        const frame = this.picture.getBoundingClientRect();
        this.picture.scrollTop += next.getBoundingClientRect().top - frame.top - frame.height / 2;
      }
      this.svg.querySelectorAll("[data-word]").forEach((word) => {
        const number = Number(word.dataset.word);
        word.classList.toggle("top", number === active[active.length - 1] || number === step.buffer[0]);
        word.classList.toggle("gone", !stacked.has(number) && !waiting.has(number));
      });
    }

    showChoices(step) {
      if (!step.choices.length) {
        this.choices.replaceChildren(element("p", { class: "note" }, "Nothing is left to do."));
        return;
      }
      if (this.choosing) { this.showPicks(step); return; }
      const scored = this.data.scores;
      const heads = ["next transition", "allowed", "why", ...(scored ? [scored === "logarithms" ? "probability" : "score"] : [])];
      const rows = step.choices.map((choice, number) => {
        const one = this.data.system.transitions[number];
        const chosen = number === step.next;
        const cells = [
          element("th", { scope: "row", title: `${one.does}${one.only_if ? ", only if " + one.only_if : ""}` }, one.title, chosen ? element("span", { class: "chosen" }, " ← taken") : null),
          element("td", {}, choice.allowed ? "yes" : "no"),
          element("td", {}, choice.why)];
        if (scored) cells.push(this.score(choice.score));
        return element("tr", { class: `${choice.allowed ? "" : "refused"} ${chosen ? "taken" : ""}` }, ...cells);
      });
      this.choices.replaceChildren(element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...rows)));
    }

    // Choosing yourself: the transitions without their answers.

    async toggleChoosing() {
      if (!this.data.costs) {
        try {
          this.data = await this.costs();
        } catch (error) {
          this.verdict.hidden = false;
          this.verdict.textContent = String(error.message || error);
          return;
        }
      }
      this.choosing = !this.choosing;
      this.yourself.setAttribute("aria-pressed", String(this.choosing));
      this.verdict.hidden = !this.choosing;
      this.verdict.textContent = this.choosing ? "Which transition is next?" : "";
      this.picked = { right: 0, all: 0 };
      this.pause();
      this.show(this.at);
      if (this.choosing) this.choices.querySelector("button")?.focus();
    }

    showPicks(step) {
      this.choices.replaceChildren(element("div", { class: "picks" }, ...step.choices.map((choice, number) => {
        const { title, does } = this.data.system.transitions[number];
        return element("button", { type: "button", title: does, onclick: () => this.pick(number) }, element("kbd", { "aria-hidden": "true" }, String(number + 1)), ` ${title}`);
      })));
    }

    pick(number) {
      const step = this.data.steps[this.at], choice = step.choices[number];
      if (!choice) return;
      const name = upper(this.data.system.transitions[number].name), next = upper(this.data.system.transitions[step.next].name);
      const right = number === step.next || choice.cost === 0;
      this.picked.all += 1;
      if (right) this.picked.right += 1;
      const arcs = choice.cost === 1 ? "an arc" : `${choice.cost} arcs`;
      const said = !choice.allowed ? `${name} is not legal here: ${choice.why}.` :
        number === step.next ? `${name} is right: the oracle takes it.` :
        choice.cost === 0 ? `${name} is right, too: no arc of the tree is lost. The oracle takes ${next}, and so do we.` :
        choice.cost === undefined ? `${name} is legal, but the oracle does not take it.` :
        `${name} is legal, but costs ${arcs} of the tree. Choose again.`;
      if (right) this.show(this.at + 1);
      this.verdict.textContent = `${said} ${this.picked.right} of ${this.picked.all} right.`;
      this.verdict.classList.toggle("wrong-choice", !right);
      (this.choices.querySelectorAll("button")[number] || this.root).focus();
    }

    score(value) {
      if (value === null || value === undefined) return element("td", {}, "–");
      if (this.data.scores !== "logarithms") return element("td", { class: "number" }, String(value));
      const share = Math.exp(value);
      return element("td", { class: "number" },
        element("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" }), ` ${(100 * share).toFixed(1)} %`);
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input[type=range]")) return;
      const forward = this.rightToLeft ? "ArrowLeft" : "ArrowRight", back = this.rightToLeft ? "ArrowRight" : "ArrowLeft";
      const work = { [forward]: () => this.show(this.at + 1), [back]: () => this.show(this.at - 1), Home: () => this.show(0), End: () => this.show(this.data.steps.length - 1) }[event.key];
      if (work) { this.pause(); work(); event.preventDefault(); }
      else if (event.key === "c" && !this.yourself.hidden) { this.toggleChoosing(); event.preventDefault(); }
      else if (this.choosing && /^[1-9]$/.test(event.key)) { this.pick(Number(event.key) - 1); event.preventDefault(); }
      else if (event.key === " " && !event.target.matches("button")) { this.toggle(); event.preventDefault(); }
    }

    toggle() {
      if (this.timer) { this.pause(); return; }
      if (this.at === this.data.steps.length - 1) this.show(0);
      this.playing.textContent = "Pause";
      this.playing.setAttribute("aria-label", "pause");
      const next = () => {
        if (this.at === this.data.steps.length - 1) { this.pause(); return; }
        this.show(this.at + 1);
        this.timer = setTimeout(next, 2400 / Number(this.speed.value));
      };
      this.timer = setTimeout(next, 300);
    }

    pause() {
      clearTimeout(this.timer);
      this.timer = null;
      this.playing.textContent = "Play";
      this.playing.setAttribute("aria-label", "play");
    }
  }

  return { mount: (place, data, options) => new Stepper(place, data, options), element, drawing };
})();
