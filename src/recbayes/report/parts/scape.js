/* The probability of every span: a diamond over its middle, at the height of its length, the fuller the more probable. */

const SMALLEST = 1.6,
  LARGE = [7, 20]; // pixels from the middle of a diamond to its corners; the fewer spans, the larger
const REACH = 12; // pixels within which the pointer finds one

const diamondsOf = ({ points, starts, ends, probability }, view, height) => {
  const scale = view.inner / (view.high - view.low),
    x = xOf(view);
  const upwards = (height - 12) / view.inner;
  const wanted = Math.max(clamp(110 / Math.sqrt(starts.length), ...LARGE), Math.min(scale / 2, 3 * LARGE[1]));
  const most = Math.min(wanted, 5 / upwards); // or the topmost would be cut
  const half = points.map((point, n) => {
    const gap = Math.min(n ? point - points[n - 1] : Infinity, n + 1 < points.length ? points[n + 1] - point : Infinity);
    return clamp((gap * scale) / 2, SMALLEST, most);
  });
  const found = [];
  for (let n = 0; n < starts.length; n++) {
    const [start, end] = [points[starts[n]], points[ends[n]]];
    if (start < view.low || end > view.high) continue;
    const [one, other] = [half[starts[n]], half[ends[n]]];
    found.push({
      start,
      end,
      probability: probability[n],
      x: x((start + end) / 2),
      y: height - 2 - (end - start) * scale * upwards,
      wide: (one + other) / 2,
      aside: (one - other) / 2,
      upwards,
    });
  }
  return found.sort((a, b) => a.probability - b.probability);
};

/* With the branches of the tree over it. */
const drawScape = (canvas, diamonds, nodes, view, height) => {
  const { width } = view;
  const scale = Math.min(window.devicePixelRatio || 1, 3),
    style = getComputedStyle(canvas);
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  canvas.style.aspectRatio = `${width} / ${height}`;
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  brush.fillStyle = style.color;
  for (const one of diamonds) {
    const tall = Math.max(2 * one.wide * one.upwards, SMALLEST),
      turn = one.aside * one.upwards * 2;
    brush.globalAlpha = 0.06 + 0.94 * one.probability ** 0.75;
    brush.beginPath();
    brush.moveTo(one.x - one.wide, one.y - turn);
    brush.lineTo(one.x - one.aside, one.y - tall);
    brush.lineTo(one.x + one.wide, one.y + turn);
    brush.lineTo(one.x + one.aside, one.y + tall);
    brush.fill();
  }
  const x = xOf(view),
    place = ({ start, end }) => [
      x((start + end) / 2),
      height - 2 - ((end - start) / (view.high - view.low)) * (height - 12),
    ];
  brush.globalAlpha = clamp(12 / nodes.length, 0.2, 0.5);
  brush.strokeStyle = style.caretColor; // what style sheets call the second colour of an element
  brush.beginPath();
  for (const node of nodes) {
    if (!node.parent || node.parent.start < view.low || node.parent.end > view.high) continue;
    brush.moveTo(...place(node.parent));
    brush.lineTo(...place(node));
  }
  brush.stroke();
};

/* The most probable of the diamonds under the pointer, or else the nearest. */
const diamondAt = (diamonds, x, y) => {
  let found = null,
    least = REACH;
  for (let n = diamonds.length - 1; n >= 0; n--) {
    const one = diamonds[n],
      far = Math.max(Math.abs(x - one.x) - one.wide, 0) + Math.max(Math.abs(y - one.y) - one.wide * 2 * one.upwards, 0);
    if (far === 0) return one;
    if (far < least) [found, least] = [one, far];
  }
  return found;
};
