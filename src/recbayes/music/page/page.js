/* What happens on the page: playing, choosing a passage, looking around. Times are in quarters, x in the units of the drawing. */
(() => {
  const find = (selector) => document.querySelector(selector);
  const data = JSON.parse(find(".data").textContent);
  const axis = find(".axis"), scroller = find(".scroller"), details = find(".details"), overview = find(".overview");
  const nodes = data.nodes.map((node, place) => ({ ...node, element: find(`.node[data-node="${place}"]`) }));
  const heads = data.notes.map(() => []);
  for (const head of document.querySelectorAll(".score [data-note]")) heads[head.dataset.note].push(head);
  const [times, places] = data.axis;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let chosen = -1, follows = true, sounding = new Set();

  const between = (value, these, those) => {
    let last = these.findIndex((one) => one > value);
    if (last < 0) last = these.length - 1;
    if (last === 0) last = 1;
    const share = (value - these[last - 1]) / (these[last] - these[last - 1]);
    return those[last - 1] + Math.min(Math.max(share, 0), 1) * (those[last] - those[last - 1]);
  };
  const xOf = (time) => between(time, times, places);
  const timeOf = (x) => between(x, places, times);
  const width = axis.viewBox.baseVal.width;
  const scale = () => axis.getBoundingClientRect().width / width;

  // Playing

  const player = makePlayer(data.notes, () => {
    player.place(limits()[0]);
    render();
  });
  const limits = () => (chosen < 0 ? [data.bars[0], data.end] : [nodes[chosen].start, nodes[chosen].end]);

  const play = (from) => {
    follows = true;
    player.play(from, limits()[1]);
    render();
  };
  const toggle = () => {
    if (player.isPlaying()) player.pause();
    else {
      const [start, end] = limits(), now = player.position();
      play(now >= start && now < end - 1e-6 ? now : start);
    }
    render();
  };

  const render = () => {
    const now = player.position(), playing = player.isPlaying(), x = xOf(now);
    document.documentElement.classList.toggle("playing", playing);
    find(".play span").textContent = playing ? "Pause" : "Play";
    find(".cursor").setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
    find(".overview .now").setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
    const next = data.bars.findIndex((bar) => bar > now + 1e-6);
    find(".position").textContent = `bar ${data.names[next < 0 ? data.names.length - 1 : Math.max(next - 1, 0)]}`;
    const these = new Set();
    if (playing) data.notes.forEach(([onset, offset], note) => onset <= now && now < offset && these.add(note));
    for (const note of sounding) if (!these.has(note)) heads[note].forEach((head) => head.classList.remove("sounding"));
    for (const note of these) if (!sounding.has(note)) heads[note].forEach((head) => head.classList.add("sounding"));
    sounding = these;
    for (const node of nodes) node.element.classList.toggle("on", playing && node.start <= now && now < node.end);
    if (!playing) return;
    const left = x * scale() - scroller.scrollLeft, seen = scroller.clientWidth;
    if (follows && (left < 0 || left > 0.8 * seen)) bring(x, 0.15);
    requestAnimationFrame(render);
  };

  const bring = (x, share) =>
    scroller.scrollTo({ left: x * scale() - share * scroller.clientWidth, behavior: calm.matches ? "auto" : "smooth" });

  // Passages

  const choose = (place) => {
    if (chosen >= 0) nodes[chosen].element.setAttribute("aria-selected", "false");
    chosen = place;
    details.hidden = place < 0;
    const node = nodes[place];
    data.notes.forEach(([onset, offset], note) => {
      const inside = node !== undefined && offset > node.start && onset < node.end;
      heads[note].forEach((head) => head.classList.toggle("chosen", inside));
    });
    if (node) {
      node.element.setAttribute("aria-selected", "true");
      describe(node);
    }
  };

  const describe = (node) => {
    const make = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
    find(".details .label").textContent = node.label || node.facts[0];
    find(".swatch").style.cssText = node.element.style.cssText;
    find(".facts").replaceChildren(...node.facts.map((fact) => make("span", fact)));
    const lasting = Array(12).fill(0);
    for (const [onset, offset, pitch] of data.notes) {
      lasting[pitch % 12] += Math.max(0, Math.min(offset, node.end) - Math.max(onset, node.start));
    }
    const longest = Math.max(...lasting) || 1;
    const columns = lasting.map((duration, pitch) => {
      const column = document.createElement("li");
      const number = duration ? String(Math.round(duration * 100) / 100) : "–";
      column.append(make("span", number), make("i", ""), make("b", node.names[pitch]));
      column.style.setProperty("--share", duration / longest);
      column.classList.toggle("silent", !duration);
      return column;
    });
    find(".pitches").replaceChildren(...columns);
  };

  const playNode = (place) => {
    choose(place);
    focusOn(place);
    play(nodes[place].start);
  };

  // Of all nodes, one can be reached by the Tab key; arrows go on from there.
  const focusOn = (place) => {
    for (const node of nodes) node.element.setAttribute("tabindex", node === nodes[place] ? "0" : "-1");
    nodes[place].element.focus({ preventScroll: true });
  };
  const neighbour = (place, key) => {
    const node = nodes[place];
    const inOrder = (best, one) => (best < 0 || Math.abs(nodes[one].start - node.start) < Math.abs(nodes[best].start - node.start) ? one : best);
    const all = nodes.map((_, one) => one);
    if (key === "Home") return 0;
    if (key === "End") return nodes.length - 1;
    if (key === "ArrowDown") return node.parent ?? place;
    if (key === "ArrowUp") return all.filter((one) => nodes[one].parent === place).reduce(inOrder, -1);
    const beside = all.filter((one) => (key === "ArrowRight" ? nodes[one].start >= node.end - 1e-6 : nodes[one].end <= node.start + 1e-6));
    const row = beside.filter((one) => nodes[one].level === node.level);
    return (row.length ? row : beside.filter((one) => nodes[one].level < node.level)).reduce(inOrder, -1);
  };

  // Clicks and keys

  axis.addEventListener("click", (event) => {
    const element = event.target.closest(".node");
    if (element) return playNode(Number(element.dataset.node));
    if (player.isPlaying()) return toggle();
    choose(-1);
    play(timeOf((event.clientX - axis.getBoundingClientRect().left) / scale()));
  });
  find(".play").addEventListener("click", toggle);
  find(".start").addEventListener("click", () => {
    const start = data.bars[0];
    choose(-1);
    if (player.isPlaying()) play(start);
    else player.place(start);
    bring(0, 0);
    render();
  });
  find(".close").addEventListener("click", () => choose(-1));
  document.addEventListener("keydown", (event) => {
    const place = nodes.findIndex((node) => node.element === document.activeElement);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && !event.target.closest("button, summary")) toggle(); // sliders do nothing with it
    else if (event.key === "Escape") choose(-1);
    else if (event.key === "Enter" && place >= 0) playNode(place);
    else if ((event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") && place >= 0) {
      const next = neighbour(place, event.key);
      if (next >= 0) {
        focusOn(next);
        if (xOf(nodes[next].end) * scale() < scroller.scrollLeft + 40 || xOf(nodes[next].start) * scale() > scroller.scrollLeft + scroller.clientWidth - 40) bring(xOf(nodes[next].start), 0.1);
      }
    } else return;
    event.preventDefault();
  });

  const tempo = find(".tempo input"), size = find(".size input");
  const setTempo = () => {
    player.setPace(60 / tempo.value);
    find(".tempo output").textContent = `♩ = ${tempo.value}`;
  };
  tempo.addEventListener("input", setTempo);
  size.addEventListener("input", () => {
    const middle = (scroller.scrollLeft + scroller.clientWidth / 2) / scale();
    axis.style.setProperty("--size", size.value / 100);
    scroller.scrollLeft = middle * scale() - scroller.clientWidth / 2;
    look();
  });
  for (const kind of ["wheel", "touchstart"]) scroller.addEventListener(kind, () => { follows = false; }, { passive: true });

  // The window of the small picture, and labels of long passages that stay in sight

  const look = () => {
    const left = scroller.scrollLeft / scale(), seen = scroller.clientWidth / scale();
    const frame = find(".window");
    frame.setAttribute("x", left);
    frame.setAttribute("width", Math.min(seen, width));
    for (const { element } of nodes) shift(element, left);
  };
  const shift = (element, left) => {
    const text = element.querySelector("text");
    if (!text) return;
    const moved = Math.min(Math.max(left + 8 - text.getAttribute("x"), 0), text.dataset.room);
    text.setAttribute("transform", `translate(${moved.toFixed(1)} 0)`);
  };
  const jump = (event) => {
    const box = overview.getBoundingClientRect();
    follows = false;
    scroller.scrollLeft = ((event.clientX - box.left) / box.width) * width * scale() - scroller.clientWidth / 2;
  };
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    jump(event);
  });
  overview.addEventListener("pointermove", (event) => event.buttons && jump(event));
  scroller.addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);

  // On paper: the drawing in lines below each other, which end at bars

  const SYSTEM = 1150; // units of the drawing
  const lines = () => {
    const edges = [0];
    while (edges.at(-1) < width) {
      const from = edges.at(-1), bars = data.bars.map(xOf).filter((x) => x > from + SYSTEM / 4 && x <= from + SYSTEM);
      edges.push(from + SYSTEM >= width ? width : bars.length ? Math.max(...bars) : from + SYSTEM);
    }
    return edges.slice(1).map((to, line) => [edges[line], to]);
  };
  addEventListener("beforeprint", () => {
    const height = axis.viewBox.baseVal.height;
    find(".systems").replaceChildren(
      ...lines().map(([from, to]) => {
        const part = axis.cloneNode(true);
        part.setAttribute("viewBox", `${from} 0 ${to - from} ${height}`);
        part.style.cssText = `width:${(100 * (to - from)) / SYSTEM}%;height:auto`;
        part.querySelector(".cursor").remove();
        for (const node of part.querySelectorAll(".node")) {
          const { start, end } = nodes[node.dataset.node];
          if (xOf(end) <= from || xOf(start) >= to) node.remove();
          else shift(node, from);
        }
        return part;
      }),
    );
  });
  addEventListener("afterprint", () => find(".systems").replaceChildren());

  find(".legend").open = innerWidth > 704;
  player.place(data.bars[0]);
  setTempo();
  look();
  render();
})();
