/* What is known of a span, in words: for the pointer, for the panel beside the tree, and for those who hear the page. */

const SHOWN = 6; // columns whose values a tooltip tells

/* Slopes of levels and memories of white noise, which are those of few draws, slopes that change the level by less than the
   noise's hundredth, and memories that nothing remembers, are not told. */
const OF_KINDS = { slope: "trend", coefficient: "autoregressive" };
const matters = (name, values, { start, end }) =>
  (values.kind ?? Object.keys(values.kinds ?? {})[0] ?? "").includes(OF_KINDS[name] ?? "") &&
  values[name].some((triple, n) => {
    if (name === "slope") return Math.max(...triple.map(Math.abs)) * (end - start) > 0.01 * values.noise[n][0];
    return name !== "coefficient" || Math.max(...triple) > 0.01;
  });

const makeWords = (data, axis) => {
  const known = new Map();
  for (const one of data.values) known.set(`${one.start}:${one.end}`, one);
  for (const one of data.nodes) known.set(`${one.start}:${one.end}`, one);
  const within = new Map(data.changes.map((change) => [change.position, change.within]));
  const valuesOf = (span) => known.get(`${span.start}:${span.end}`);
  const span = ({ start, end }) => axis.span(start, end);
  const kindOf = (values) => {
    if (!values) return null;
    const kinds = Object.entries(values.kinds ?? {})
      .map(([kind, p]) => (p < 0.995 ? `${kind} ${percent(p)}` : kind))
      .slice(0, 3)
      .join(", ");
    if (values.arity || !kinds) return "group of segments";
    return values.segment !== undefined && values.segment < 0.995
      ? `segment in ${percent(values.segment)} of its draws: ${kinds}`
      : `segment: ${kinds}`;
  };
  const certainty = (node) => {
    if (node.start === 0 && node.end === data.length) return "certain: the whole series";
    if (node.exact) return `${percent(node.probability)} with exactly these ends`;
    const vague = Math.max(within.get(node.start) ?? 0, within.get(node.end) ?? 0);
    return percent(node.probability) + (vague ? ` give or take ${counted(vague, "observation")}` : "");
  };

  /* Names and texts; then of every column its quantities. */
  const facts = (node) => {
    const values = valuesOf(node),
      found = [["probability", certainty(node)]];
    if (kindOf(values)) found.push(["kind", kindOf(values)]);
    const rows = [];
    const quantities = [
      ["level", "level"],
      ["slope", `slope per ${data.unit}`],
      ["noise", "noise"],
      ["coefficient", "memory"],
    ];
    for (const [name, said] of quantities) {
      const triples = values?.[name];
      if (triples && matters(name, values, node)) rows.push([said, triples.map(withInterval)]);
    }
    return { found, rows };
  };

  const card = (node, most = SHOWN) => {
    const { found, rows } = facts(node),
      parts = [
        html("p", { class: "span" }, span(node)),
        html("p", { class: "quiet" }, counted(node.end - node.start, "observation")),
      ];
    const one = data.columns.length === 1;
    const pairs = [...found, ...(one ? rows.map(([name, texts]) => [name, texts[0]]) : [])];
    parts.push(
      html(
        "dl",
        {},
        pairs.map(([name, text]) => [html("dt", {}, name), html("dd", {}, text)]),
      ),
    );
    if (!one && rows.length) {
      const shown = data.columns.slice(0, most),
        rest = data.columns.length - shown.length;
      parts.push(
        html(
          "table",
          {},
          html(
            "thead",
            {},
            html(
              "tr",
              {},
              html("th", { scope: "col" }, "column"),
              rows.map(([name]) => html("th", { scope: "col" }, name)),
            ),
          ),
          html(
            "tbody",
            {},
            shown.map((name, n) =>
              html(
                "tr",
                {},
                html("th", { scope: "row" }, shortened(name, 18)),
                rows.map(([, texts]) => html("td", {}, texts[n])),
              ),
            ),
          ),
        ),
      );
      if (rest > 0) parts.push(html("p", { class: "quiet" }, `and ${counted(rest, "more column")}`));
    }
    return parts;
  };

  const brief = (node) => {
    const values = valuesOf(node),
      level = values?.level;
    if (!level || values.arity) return node.children?.length ? counted(node.children.length, "part") : "";
    return level.length === 1
      ? `${values.kind ?? ""} ${told(level[0][0], level[0][2] - level[0][1])}`.trim()
      : (values.kind ?? "");
  };
  /* First what is seen, in the same order: people who speak to their browsers say that. */
  const aloud = (node) => {
    const { found, rows } = facts(node);
    const numbers = rows.slice(0, 4).map(
      ([name, texts]) =>
        `${name} ${
          texts.length === 1
            ? texts[0]
            : texts
                .slice(0, SHOWN)
                .map((text, n) => `${data.columns[n]} ${text}`)
                .join(", ")
        }`,
    );
    const [[, sure], ...others] = found;
    const seen = `${[span(node), brief(node), percent(node.probability)].filter(Boolean).join(" ")} probability`;
    const more = sure.replace(percent(node.probability), "").trim();
    return [more ? `${seen}, ${more}` : seen, ...others.map(([name, text]) => `${name} ${text}`), ...numbers].join(", ");
  };
  const ends = (node) =>
    axis.ends(node.start, node.end).map((text, n) => html("span", { class: "end" }, n ? ` ${text}` : text));
  return { span, ends, card, brief, aloud, valuesOf };
};
