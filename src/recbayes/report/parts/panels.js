/* The pictures above the axis, each drawn anew for the stretch that is looked at. `view` says which stretch, and how wide. */

const DOTS = 0.45; // observations a pixel, up to which each has a dot
const FEW = 4; // columns that have tall panels
const GAP = 7;

const xOf =
  ({ low, high, left, inner }) =>
  (position) =>
    left + ((position - low) / (high - low)) * inner;

const path = (points) => points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/* How wide texts of pictures are. */
const makeRuler = (canvas, place) => {
  const brush = canvas.getContext("2d");
  brush.font = `600 11px ${getComputedStyle(place).fontFamily}`;
  return (text) => brush.measureText(text).width;
};

/* As much of a text as has room. */
const fitting = (text, room, widthOf) => {
  if (widthOf(text) <= room) return text;
  const letters = [...text].slice(0, 200);
  while (letters.length && widthOf(`${letters.join("")}…`) > room) letters.pop();
  return letters.length ? `${letters.join("")}…` : "";
};

const gridOf = (view, ticks, height) => {
  const x = xOf(view);
  return svg("path", { class: "grid", d: ticks.map(([at]) => `M${x(at).toFixed(1)} 0V${height}`).join("") });
};

const drawAxis = (view, ticks) => {
  const x = xOf(view),
    parts = [];
  const write = (at, text, y, free) => {
    const half = view.widthOf(text) / 2,
      middle = clamp(x(at), half, view.width - half);
    if (middle - half < free) return free;
    parts.push(svg("text", { class: "label", x: middle.toFixed(1), y, "text-anchor": "middle" }, text));
    return middle + half + 8;
  };
  let [free, freeBelow, day] = [-1e9, -1e9, undefined];
  for (const [at, text, today] of ticks) {
    parts.push(svg("path", { class: "tick", d: `M${x(at).toFixed(1)} 0v5` }));
    const then = write(at, text, 18, free);
    if (then === free) parts.pop();
    free = then;
    if (today && today !== day) freeBelow = write(at, (day = today), 32, freeBelow);
  }
  return picture(view.width, day ? 38 : 24, { "aria-hidden": "true" }, parts);
};

const picture = (width, height, attributes, ...children) =>
  svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...attributes }, ...children);

/* What of a column lies in the stretch: points and gaps of short series; of long ones the extent of every bin. */
const seenOf = ({ columns, edges }, column, { low, high }) => {
  const { values, low: least, high: most } = columns[column],
    found = [];
  const first = edges ? Math.max(placeOf(edges, low + 1e-9) - 1, 0) : Math.max(Math.floor(low), 0);
  const last = edges ? Math.min(placeOf(edges, high), edges.length - 1) : Math.min(Math.ceil(high), values.length);
  for (let n = first; n < last; n++) {
    const at = edges ? (edges[n] + edges[n + 1]) / 2 : n + 0.5;
    found.push(edges ? [at, least[n], most[n]] : [at, values[n], values[n]]);
  }
  return found;
};

const extentOf = (seen, lines, column, { low, high }) => {
  let [least, most] = [Infinity, -Infinity];
  const take = (value) => {
    if (value === null) return;
    if (value < least) least = value;
    if (value > most) most = value;
  };
  for (const [, bottom, top] of seen) (take(bottom), take(top));
  for (const line of lines) {
    if (line.at.at(-1) <= low || line.at[0] >= high) continue;
    for (const name of ["low", "mean", "high"])
      (take(between(Math.max(low, line.at[0]), line.at, line.columns[column][name])),
        take(between(Math.min(high, line.at.at(-1)), line.at, line.columns[column][name])));
  }
  if (!(most >= least)) return [-1, 1];
  const room = (most - least) * 0.07 || Math.abs(most) * 0.1 || 1;
  return [least - room, most + room];
};

/* Round numbers beside a panel, with their texts: two at least, and no more than have room. */
const marksOf = (least, most, height) => {
  const many = height > 180 ? 7 : height > 100 ? 4 : 2;
  const tried = [0, 1, 2, 3, 4].map((more) => roundNumbers(least, most, many + more));
  const found = tried.find((numbers) => numbers.length > 1) ?? tried[0];
  const kept = found.filter((_, n) => n % Math.ceil(found.length / (many + 1)) === 0);
  return kept.map((value) => [value, told(value, 10 * (kept[1] - kept[0]))]);
};

/* What is drawn of a column in a stretch, before anything is known of its width. */
const scaleOf = (data, stretch, column, height) => {
  const seen = seenOf(data.series, column, stretch);
  const [least, most] = extentOf(seen, data.lines, column, stretch);
  return { seen, least, most, height, marks: marksOf(least, most, height) };
};

const scalesOf = (data, stretch, width) => {
  const height = data.drawn === 1 ? (width < 600 ? 190 : 250) : data.drawn === 2 ? 150 : data.drawn <= FEW ? 104 : 52;
  return Array.from({ length: data.drawn }, (_, column) => scaleOf(data, stretch, column, height));
};

const drawColumn = (data, view, column, { seen, least, most, height, marks }, ticks) => {
  const x = xOf(view),
    y = (value) => 4 + (1 - (value - least) / (most - least)) * (height - 8);
  const parts = [gridOf(view, ticks, height)];
  for (const [value, text] of marks) {
    parts.push(svg("path", { class: "grid", d: `M${view.left} ${y(value).toFixed(1)}h${view.inner}` }));
    parts.push(
      svg("text", { class: "label", x: view.left - 6, y: (y(value) + 3.5).toFixed(1), "text-anchor": "end" }, text),
    );
  }
  const inside = svg("g", { "clip-path": `url(#${view.clip})` });
  for (const [n, line] of data.lines.entries()) {
    const [start, end] = [line.at[0], line.at.at(-1)];
    if (n % 2) inside.append(svg("rect", { class: "turn", x: x(start), y: 0, width: x(end) - x(start), height }));
  }
  for (const line of data.lines) {
    if (line.at.at(-1) < view.low || line.at[0] > view.high) continue;
    const { mean, low, high } = line.columns[column];
    const there = (numbers) =>
      line.at.map((at, n) => [x(at), y(clamp(numbers[n] ?? least, least - 9 * (most - least), most + 9 * (most - least)))]);
    inside.append(
      svg("path", { class: "noise", d: `${path(there(low))}${path(there(high).reverse()).replace("M", "L")}Z` }),
    );
  }
  const dots = seen.length <= DOTS * view.inner && !data.series.edges;
  let trace = "",
    joined = false;
  for (const [at, bottom, top] of seen) {
    if (bottom === null) {
      joined = false;
      continue;
    }
    const [here, from] = [x(at).toFixed(1), y(bottom).toFixed(1)];
    trace += `${joined ? "L" : "M"}${here} ${from}${top > bottom ? `V${y(top).toFixed(1)}` : ""}`;
    joined = true;
  }
  inside.append(svg("path", { class: dots ? "trace faint" : seen.length > view.inner ? "trace dense" : "trace", d: trace }));
  if (dots) {
    const radius = clamp((0.28 * view.inner) / seen.length, 1.3, height < 60 ? 1.7 : 2.6).toFixed(1);
    const circle = `m-${radius} 0a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 -${2 * radius} 0`;
    inside.append(
      svg("path", {
        class: "dots",
        d: seen
          .filter(([, value]) => value !== null)
          .map(([at, value]) => `M${x(at).toFixed(1)} ${y(value).toFixed(1)}${circle}`)
          .join(""),
      }),
    );
  }
  for (const line of data.lines) {
    if (line.at.at(-1) < view.low || line.at[0] > view.high) continue;
    inside.append(
      svg("path", { class: "mean", d: path(line.at.map((at, n) => [x(at), y(line.columns[column].mean[n] ?? least)])) }),
    );
  }
  for (const [row, where, value] of data.series.outliers) {
    if (where === column && row + 1 > view.low && row < view.high) {
      inside.append(
        svg("circle", {
          class: "outlier",
          cx: x(row + 0.5).toFixed(1),
          cy: y(clamp(value, least, most)).toFixed(1),
          r: 3.5,
        }),
      );
    }
  }
  parts.push(inside, changeLines(data, view, height));
  if (data.named) {
    const name = fitting(data.columns[column], Math.min(view.inner - 12, 300), view.widthOf);
    parts.push(svg("text", { class: "name", x: view.left + 6, y: 15 }, name));
  }
  return picture(view.width, height, { class: "column", "aria-hidden": "true" }, parts);
};

const changeLines = (data, view, height) => {
  const x = xOf(view);
  const inside = data.changes.filter(({ position }) => position > view.low && position < view.high);
  const many = inside.length * 25 > view.inner;
  return svg("path", {
    class: many ? "change many" : "change",
    d: inside.map(({ position }) => `M${x(position).toFixed(1)} 0V${height}`).join(""),
  });
};

/* When changes happen and how probable they are: all of them in up to three rows, or else in one those for which there is room. */
const drawNames = (data, view) => {
  const all = data.changes.filter(({ position }) => position > view.low && position < view.high);
  const three = namesIn(all, view, 3),
    parts = three.length === all.length ? three : namesIn(all, view, 1);
  if (!parts.length) return null;
  const height = 14 * (Math.max(...parts.map(({ row }) => row)) + 1) + 4;
  const texts = parts.map(({ row, middle, text }) =>
    svg("text", { class: "when", x: middle.toFixed(1), y: height - 6 - 14 * row, "text-anchor": "middle" }, text),
  );
  return picture(view.width, height, { "aria-hidden": "true" }, texts);
};

const namesIn = (changes, view, rows) => {
  const x = xOf(view),
    free = Array(rows).fill(-1e9),
    found = [];
  for (const { position, name, probability } of changes) {
    const text = `${fitting(name, 180, view.widthOf)} · ${percent(probability)}`,
      half = view.widthOf(text) / 2;
    const middle = clamp(x(position), half, view.width - half);
    const row = free.findIndex((end) => middle - half > end);
    if (row < 0) continue;
    free[row] = middle + half + 8;
    found.push({ row, middle, text });
  }
  return found;
};

const drawSeries = (data, view, scales, ticks) => [
  drawNames(data, view),
  ...scales.map((scale, column) => drawColumn(data, view, column, scale, ticks)),
];

/* The probability of a change at exactly each place, and of those that are told within their tolerance; hollow: of those
   whose place is too uncertain to be told. */
const drawChances = (data, view, ticks) => {
  const height = 56,
    x = xOf(view),
    y = (p) => 6 + (1 - p) * (height - 10),
    inside = [];
  const { at, probability } = data.boundaries;
  for (let n = 0; n < at.length; n++) {
    if (at[n] >= view.low && at[n] <= view.high)
      inside.push(`M${x(at[n]).toFixed(1)} ${y(0)}V${y(probability[n]).toFixed(1)}`);
  }
  const parts = [
    gridOf(view, ticks, height),
    svg("path", { class: "grid", d: `M${view.left} ${y(0)}h${view.inner}M${view.left} ${y(1)}h${view.inner}` }),
  ];
  for (const p of [0, 1])
    parts.push(svg("text", { class: "label", x: view.left - 6, y: y(p) + 3.5, "text-anchor": "end" }, p ? "100 %" : "0"));
  parts.push(svg("path", { class: "chance", d: inside.join("") }));
  for (const { position, probability: p, low, high } of data.changes) {
    if (position <= view.low || position >= view.high) continue;
    const [from, to] = [Math.max(x(low), view.left), Math.min(x(high), view.left + view.inner)];
    parts.push(svg("path", { class: "spread", d: `M${from.toFixed(1)} ${y(p).toFixed(1)}H${to.toFixed(1)}` }));
    parts.push(svg("circle", { class: "told", cx: x(position).toFixed(1), cy: y(p).toFixed(1), r: 4 }));
  }
  for (const { probability: p, low, high } of data.unplaced.changes) {
    if (high <= view.low || low >= view.high) continue;
    const [from, to] = [Math.max(x(low), view.left), Math.min(x(high), view.left + view.inner)];
    parts.push(svg("path", { class: "spread", d: `M${from.toFixed(1)} ${y(p).toFixed(1)}H${to.toFixed(1)}` }));
    parts.push(
      svg("circle", { class: "told hollow", cx: ((from + to) / 2).toFixed(1), cy: y(p).toFixed(1), r: 3.5 }),
    );
  }
  return picture(view.width, height, { "aria-hidden": "true" }, parts);
};

/* Every node is a band over its span in the row of its depth, the fuller the more probable. */
const drawTree = (nodes, view, ticks) => {
  const x = xOf(view);
  const inside = nodes.filter(({ start, end }) => start >= view.low && end <= view.high);
  const around = nodes.filter(({ start, end }) => start <= view.low && end >= view.high).at(-1);
  const there = inside.length || !around ? inside : [around]; // as far as it can be seen
  const top = Math.min(...there.map(({ depth }) => depth)),
    rows = Math.max(...there.map(({ depth }) => depth)) - top + 1;
  const step = there.length ? clamp(360 / rows, 6, 27) : 27,
    height = (there.length ? rows : 1) * step + 4;
  const parts = [gridOf(view, ticks, height)],
    bands = [];
  for (const node of there) {
    const left = x(Math.max(node.start, view.low)) + 0.75,
      width = Math.max(x(Math.min(node.end, view.high)) - left - 0.75, 1),
      y = 2 + (node.depth - top) * step;
    bands.push({ node, left, right: left + width, top: y, bottom: y + step });
    parts.push(
      svg("rect", {
        class: node.probability < 0.5 ? "band unsure" : "band",
        x: left.toFixed(1),
        y,
        width: width.toFixed(1),
        height: step - Math.min(2.5, step / 4),
        rx: Math.min(3, step / 4),
        "fill-opacity": (0.07 + 0.5 * node.probability).toFixed(3),
      }),
    );
    const text = percent(node.probability);
    if (step >= 14 && width > view.widthOf(text) + 4) {
      const whole = `${node.label} · ${text}`,
        told = view.widthOf(whole) + 24 < width ? whole : text;
      parts.push(
        svg(
          "text",
          { class: "inband", x: (left + width / 2).toFixed(1), y: y + step / 2 + 2.5, "text-anchor": "middle" },
          told,
        ),
      );
    }
  }
  return { element: picture(view.width, height, { class: "tree", "aria-hidden": "true" }, parts), bands };
};
