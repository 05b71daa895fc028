/* One tree from the probabilities of spans: that with the largest sum of (probability − threshold) over its nodes.

   A node may have any number of children, so only spans above the threshold are worth having. From 1/2 on these never cross,
   and the tree is all of them. Below, the best spans between any two points follow from those of the parts. */

const MOST_POINTS = 700;

const likelyOf = ({ points, starts, ends, probability }, threshold) => {
  const found = [];
  for (let n = 0; n < starts.length; n++) {
    if (probability[n] > threshold)
      found.push({ start: points[starts[n]], end: points[ends[n]], probability: probability[n] });
  }
  return found.sort((one, other) => other.probability - one.probability);
};

const decode = (table, threshold) => {
  let likely = likelyOf(table, threshold);
  if (threshold >= 0.5) return likely;
  const ends = new Set();
  for (const [n, one] of likely.entries()) {
    ends.add(one.start).add(one.end);
    if (ends.size > MOST_POINTS) {
      likely = likely.slice(0, n);
      break;
    }
  }
  const points = [...new Set(likely.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const size = points.length,
    number = new Map(points.map((point, n) => [point, n]));
  const gain = new Float64Array(size * size),
    best = new Float64Array(size * size),
    split = new Int32Array(size * size);
  for (const { start, end, probability } of likely)
    gain[number.get(start) * size + number.get(end)] = probability - threshold;
  for (let width = 1; width < size; width++) {
    for (let i = 0; i + width < size; i++) {
      const k = i + width;
      let most = 0,
        where = 0;
      for (let j = i + 1; j < k; j++) {
        const sum = best[i * size + j] + best[j * size + k];
        if (sum > most) [most, where] = [sum, j];
      }
      best[i * size + k] = most + gain[i * size + k];
      split[i * size + k] = where;
    }
  }
  const chosen = new Set(),
    waiting = size > 1 ? [[0, size - 1]] : [];
  while (waiting.length) {
    const [i, k] = waiting.pop(),
      cell = i * size + k;
    if (gain[cell] > 0) chosen.add(cell);
    if (split[cell]) waiting.push([i, split[cell]], [split[cell], k]);
  }
  return likely.filter(({ start, end }) => chosen.has(number.get(start) * size + number.get(end)));
};

/* Nested spans in preorder, each with its depth, its parent and its children; the whole series is always there. */
const nested = (spans, length) => {
  const all = [...spans];
  if (!all.some(({ start, end }) => start === 0 && end === length)) all.push({ start: 0, end: length, probability: 1 });
  all.sort((one, other) => one.start - other.start || other.end - one.end);
  const nodes = [],
    open = [];
  for (const span of all) {
    while (open.length && open.at(-1).end <= span.start) open.pop();
    const node = { ...span, depth: open.length, parent: open.at(-1) ?? null, children: [] };
    node.parent?.children.push(node);
    nodes.push(node);
    open.push(node);
  }
  return nodes;
};

const probabilityOf = ({ points, starts, ends, probability }, start, end) => {
  const n = starts.findIndex((one, place) => points[one] === start && points[ends[place]] === end);
  return n < 0 ? 0 : probability[n];
};
