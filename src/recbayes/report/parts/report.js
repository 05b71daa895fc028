/* The page of a segmentation, and the widget: `render` draws what `model.get("data")` knows into an element. */

const PAPER = 720; // pixels: how wide a sheet is between its margins

const render = ({ model, el }) => {
  const root = html("div", { class: "recbayes-report", "data-lm-suppress-shortcuts": "true" }); // JupyterLab has other uses for keys
  el.append(root);
  let leave = () => {};
  const draw = () => {
    leave();
    root.replaceChildren();
    leave = drawReport(root, model.get("data"), model);
  };
  model.on?.("change:data", draw);
  draw();
  return () => {
    model.off?.("change:data", draw);
    leave();
  };
};

const drawReport = (root, data, model) => {
  const axis = makeAxis(data.axis, data.length),
    words = makeWords(data, axis);
  const state = { low: 0, high: data.length, trail: [], threshold: null, nodes: [], diamonds: [], bands: [], view: null };

  const table = makeTable(data, axis, { look: (node) => look(node) });
  const frame = makeFrame(root, data, table);
  const { crumbs, asFound, slider, said, charts, band, ring, tip, exactly, canvas, outline, panel, place, csv, scapeTitle } =
    frame;
  const clipName = `recbayes-${Math.random().toString(36).slice(2)}`;

  // Looking at a span

  const look = (node, pointer = null) => {
    band.hidden = !node || node.end <= state.low || node.start >= state.high;
    if (!band.hidden) {
      const x = xOf(state.view),
        [from, to] = [x(Math.max(node.start, state.low)), x(Math.min(node.end, state.high))];
      band.style.left = `${(100 * from) / state.view.width}%`;
      band.style.width = `${(100 * (to - from)) / state.view.width}%`;
    }
    ring.hidden = !node?.at;
    if (!ring.hidden) {
      ring.style.left = `${(100 * node.at.x) / state.view.width}%`;
      ring.style.top = `${canvas.offsetTop + (node.at.y * canvas.offsetHeight) / state.tall}px`;
    }
    const told = node ? `${node.start}:${node.end}:${node.exact ?? ""}:${node.probability}` : "";
    tip.hidden = !node || !pointer;
    if (!tip.hidden) {
      if (state.inTip !== told) tip.replaceChildren(...words.card(node));
      state.inTip = told;
      const [width, height] = [tip.offsetWidth, tip.offsetHeight],
        box = place.getBoundingClientRect();
      const right = Math.min(box.right, window.innerWidth) - width;
      const left = clamp(pointer.x + 16, Math.max(box.left, 0), Math.max(right, box.left, 0));
      const below = pointer.y + height + 24 < window.innerHeight ? pointer.y + 16 : pointer.y - height - 12;
      const top = clamp(below, 4, Math.max(window.innerHeight - height - 4, 4));
      tip.style.transform = `translate(${(left - box.left).toFixed(0)}px, ${(top - box.top).toFixed(0)}px)`;
    }
    if (!node || state.inPanel !== told) panel.replaceChildren(...words.card(node ?? whole(), 50));
    state.inPanel = told;
  };
  const whole = () => state.trail.at(-1) ?? state.nodes[0];

  // Zooming

  const zoom = (node) => {
    const last = state.trail.at(-1);
    if (node.start === 0 && node.end === data.length) state.trail = [];
    else if (!last || last.start !== node.start || last.end !== node.end) {
      state.trail = [...state.trail.filter((one) => one.start <= node.start && one.end >= node.end), node];
    }
    aim();
  };
  const back = () => {
    state.trail = state.trail.slice(0, -1);
    aim();
  };
  const aim = (tell = true) => {
    const last = state.trail.at(-1);
    [state.low, state.high] = last ? [last.start, last.end] : [0, data.length];
    const focused = document.activeElement?.closest?.(".crumbs") !== null && root.contains(document.activeElement);
    crumbs.replaceChildren(
      ...[null, ...state.trail].flatMap((one, n) => {
        const name = one ? words.span(one) : "Whole series";
        if (n === state.trail.length) return [html("span", { "aria-current": "true", tabindex: -1 }, name)];
        const button = html("button", { type: "button" }, name);
        button.addEventListener("click", () => {
          state.trail = state.trail.slice(0, n);
          aim();
        });
        return [button, html("span", { class: "quiet", "aria-hidden": "true" }, "›")];
      }),
    );
    if (state.trail.length) crumbs.append(html("span", { class: "hint" }, "Escape goes back"));
    if (focused) crumbs.querySelector("[aria-current]").focus();
    paint();
    look(null);
    if (tell) {
      model.set?.("span", last ? [last.start, last.end] : [0, data.length]);
      model.save_changes?.();
    }
  };

  // The tree

  const choose = () => {
    const spans = state.threshold === null ? data.nodes : decode(data.near, state.threshold);
    state.nodes = nested(spans, data.length);
    for (const node of state.nodes) node.label = axis.span(node.start, node.end);
    asFound.setAttribute("aria-pressed", String(state.threshold === null));
    const t = Math.round(100 * (state.threshold ?? 0.5));
    const text =
      state.threshold === null
        ? "as it was found"
        : t >= 50
          ? `nodes of more than ${t} %`
          : `likeliest nodes that fit together, above ${t} %`;
    said.textContent = `${text} · ${counted(state.nodes.length, "node")}`;
    slider.setAttribute("aria-valuetext", text);
    root.classList.toggle("as-found", state.threshold === null);
    outline.replaceChildren(...makeOutline(state.nodes, words, { zoom, look: (node) => look(node) }));
  };
  slider.addEventListener("input", () => {
    state.threshold = (100 - Number(slider.value)) / 100;
    choose();
    paint();
    look(null);
  });
  asFound.addEventListener("click", () => {
    state.threshold = null;
    slider.value = 50;
    choose();
    paint();
    look(null);
  });

  // The pictures; on paper they are drawn before browsers divide it into pages, who lose what is drawn later

  const onPaper = () => root.classList.contains("paper");
  const paint = () => {
    const width = onPaper() ? PAPER : Math.max(Math.floor(place.clientWidth), 280);
    const widthOf = makeRuler(canvas, charts),
      scales = scalesOf(data, state, width);
    const longest = Math.max(...scales.flatMap(({ marks }) => marks.map(([, text]) => widthOf(text))));
    const left = Math.ceil(Math.max(width < 600 ? 44 : 60, longest + 10));
    const view = { low: state.low, high: state.high, width, left, inner: width - left - 10, clip: clipName, widthOf };
    state.view = view;
    const ticks = axis.ticks(view.low, view.high, view.inner);
    const clip = picture(
      0,
      0,
      { "aria-hidden": "true", class: "clip" },
      svg("clipPath", { id: clipName }, svg("rect", { x: left, y: -10, width: view.inner, height: 2000 })),
    );
    const tree = drawTree(state.nodes, view, ticks);
    state.bands = tree.bands;
    state.tree = tree.element;
    const tall = Math.round(clamp(view.inner * 0.3, 120, 300));
    charts.replaceChildren(
      ...[
        clip,
        ...drawSeries(data, view, scales, ticks),
        drawAxis(view, ticks),
        title("Probability of a change"),
        drawChances(data, view, ticks),
        title("Tree"),
        tree.element,
        scapeTitle,
        canvas,
        drawAxis(view, ticks),
      ].filter(Boolean),
    );
    state.diamonds = diamondsOf(exactly.checked ? data.spans : data.near, view, tall);
    state.tall = tall;
    drawScape(canvas, state.diamonds, state.nodes, view, tall);
  };
  exactly.addEventListener("change", () => paint());

  const under = (event) => {
    const box = event.target.closest("svg, canvas")?.getBoundingClientRect();
    if (!box) return null;
    const [x, y] = [((event.clientX - box.left) * state.view.width) / box.width, event.clientY - box.top];
    if (event.target === canvas) {
      const found = diamondAt(state.diamonds, x, (y * state.tall) / box.height);
      return found && { ...found, at: { x: found.x, y: found.y }, exact: exactly.checked };
    }
    const position = state.low + ((x - state.view.left) / state.view.inner) * (state.high - state.low);
    if (position < state.low || position > state.high) return null;
    if (state.tree.contains(event.target)) {
      const at = (y * state.tree.height.baseVal.value) / box.height;
      return (
        state.bands.find((one) => one.left - 1 <= x && x <= one.right + 1 && one.top <= at && at < one.bottom)?.node ?? null
      );
    }
    return deepest(position);
  };
  const deepest = (position) => {
    let found = null;
    for (const node of state.nodes)
      if (node.start <= position && position < node.end && node.start >= state.low && node.end <= state.high) found = node;
    return found ?? state.bands[0]?.node ?? null;
  };
  let touched = null;
  charts.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const node = under(event);
    charts.classList.toggle("over", node !== null);
    look(node, { x: event.clientX, y: event.clientY });
  });
  charts.addEventListener("pointerleave", (event) => event.pointerType === "touch" || look(null));
  charts.addEventListener("click", (event) => {
    const node = under(event);
    if (!node) {
      touched = null;
      return look(null);
    }
    const again = touched && touched.start === node.start && touched.end === node.end;
    if (event.pointerType === "touch" && !again) {
      // the first tap tells, the second zooms
      touched = node;
      return look(node, { x: event.clientX, y: event.clientY });
    }
    touched = null;
    zoom(node);
  });
  const dismiss = () => {
    touched = null;
    if (!tip.hidden) look(null);
  };
  const escape = () => {
    dismiss();
    if (state.trail.length) back();
  };
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || (tip.hidden && !state.trail.length)) return;
    event.stopPropagation();
    escape();
  });
  const anywhere = (event) => event.key === "Escape" && document.activeElement === document.body && escape();
  const elsewhere = (event) => event.composedPath().includes(charts) || dismiss();
  document.addEventListener("keydown", anywhere);
  document.addEventListener("pointerdown", elsewhere);
  csv.addEventListener("click", () => save(fileName(data.title), csvOf(data.table)));

  // What changes from outside

  const follow = () => {
    const [start, end] = model.get("span") ?? [];
    if (!(end > start) || (start === state.low && end === state.high)) return;
    const node = state.nodes.find((one) => one.start === start && one.end === end) ?? {
      start,
      end,
      probability: probabilityOf(data.near, start, end),
    };
    state.trail = start === 0 && end === data.length ? [] : [node];
    aim(false);
  };
  model.on?.("change:span", follow);
  let width = 0;
  const resized = new ResizeObserver(
    () =>
      !onPaper() &&
      place.clientWidth &&
      place.clientWidth !== width &&
      ((width = place.clientWidth), paint(), look(null)),
  );
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const toPaper = () => (root.classList.add("paper"), paint());
  const toScreen = () => (root.classList.remove("paper"), paint());
  choose();
  aim(false);
  width = place.clientWidth;
  resized.observe(place);
  dark.addEventListener("change", paint);
  window.addEventListener("beforeprint", toPaper);
  window.addEventListener("afterprint", toScreen);
  return () => {
    resized.disconnect();
    dark.removeEventListener("change", paint);
    window.removeEventListener("beforeprint", toPaper);
    window.removeEventListener("afterprint", toScreen);
    document.removeEventListener("keydown", anywhere);
    document.removeEventListener("pointerdown", elsewhere);
    model.off?.("change:span", follow);
  };
};

export default { render };
