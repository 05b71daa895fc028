/* Segments as a table, and all nodes as a file for spreadsheets. */

const BROAD = 8; // columns, more than which no sheet of paper has beside each other

const makeTable = (data, axis, act) => {
  const several = data.columns.length > 1,
    segments = data.nodes.filter(({ arity }) => !arity);
  const slopes = !several && segments.some((node) => node.slope && matters("slope", node, node));
  const memory = !several && segments.some((node) => node.coefficient && matters("coefficient", node, node));
  const heads = ["segment", "observations", "probability", "kind"];
  if (several) heads.push(...data.columns.map((name) => `level of ${name}`));
  else heads.push("level", ...(slopes ? [`slope per ${data.unit}`] : []), "noise", ...(memory ? ["memory"] : []));
  const cell = (triple, n) =>
    html(
      "td",
      { "data-head": heads[4 + n] },
      html("span", { class: "value" }, triple ? told(triple[0], triple[2] - triple[1]) : triple === null ? "–" : "unknown"),
      triple && triple[2] > triple[1]
        ? html(
            "span",
            { class: "quiet" },
            ` ${told(triple[1], triple[2] - triple[1])} to ${told(triple[2], triple[2] - triple[1])}`,
          )
        : null,
    );
  const rows = segments.map((node) => {
    const quantities = several
      ? (node.level ?? data.columns.map(() => undefined))
      : [
          node.level?.[0],
          ...(slopes ? [matters("slope", node, node) ? node.slope?.[0] : null] : []),
          node.noise?.[0],
          ...(memory
            ? [
                matters("coefficient", node, node)
                  ? node.coefficient?.[0].map((value) => Math.round(100 * value) / 100)
                  : null,
              ]
            : []),
        ];
    const row = html(
      "tr",
      {},
      html("th", { scope: "row" }, axis.span(node.start, node.end)),
      html("td", { "data-head": heads[1] }, String(node.end - node.start)),
      html("td", { "data-head": heads[2] }, percent(node.probability)),
      html("td", { "data-head": heads[3], class: "words" }, node.kind),
      quantities.map(cell),
    );
    row.addEventListener("mouseenter", () => act.look(node));
    row.addEventListener("mouseleave", () => act.look(null));
    return row;
  });
  const caption = `${counted(segments.length, "segment")}, with intervals of 80 %${data.logarithms ? "; slope and noise are those of the logarithms" : ""}`;
  return html(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": "Table of segments" },
    html(
      "table",
      { class: heads.length > BROAD ? "broad" : null },
      html("caption", {}, caption),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          heads.map((head) => html("th", { scope: "col" }, head)),
        ),
      ),
      html("tbody", {}, rows),
    ),
  );
};

/* Texts that a spreadsheet would take for a formula begin with an apostrophe, as people write them by hand. */
const csvOf = ({ names, rows }) => {
  const cell = (value) => {
    if (value === null || typeof value === "number") return value === null ? "" : String(value);
    const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [names, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
};

const save = (name, text) => {
  const link = html("a", {
    href: URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" })),
    download: name,
  });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

const fileName = (title) =>
  `${
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "segments"
  }.csv`;
