/* What stands still on a page: headings, controls, words; and the places into which everything else is drawn. */

const section = (name, title, ...children) => html("section", { class: name }, html("h2", {}, title), ...children);

const title = (text) => html("p", { class: "title", "aria-hidden": "true" }, text);

const kindsOf = (kinds) =>
  html(
    "ul",
    { class: "kinds" },
    Object.entries(kinds).map(([kind, p]) => {
      const bar = html("span", { class: "bar", "aria-hidden": "true" }, html("i"));
      bar.firstChild.style.width = `${100 * p}%`;
      return html("li", {}, html("span", {}, kind), bar, html("span", { class: "number" }, percent(p)));
    }),
  );

const makeFrame = (root, data, table) => {
  const crumbs = html("nav", { class: "crumbs", "aria-label": "What is looked at" });
  const asFound = html("button", { type: "button", class: "found", "aria-pressed": "true" }, "As found");
  const slider = html("input", {
    type: "range",
    min: 1,
    max: 99,
    step: 1,
    value: 50,
    "aria-label": "Threshold of the tree: from surest nodes only to the whole tree",
  });
  const said = html("output", { class: "threshold" });
  const charts = html("div", { class: "charts" }),
    band = html("div", { class: "highlight", hidden: true }),
    ring = html("div", { class: "ring", hidden: true }),
    tip = html("div", { class: "tip", "aria-hidden": "true", hidden: true });
  const exactly = html("input", { type: "checkbox" });
  const canvas = html("canvas", {
    role: "img",
    "aria-label": "The probability of every span; the same numbers are in the tree below",
  });
  const outline = html("div", {}),
    panel = html("div", { class: "panel" });
  const place = html(
    "div",
    { class: "picture", role: "group", "aria-label": `${data.lead} The tree below has what is drawn here, in words.` },
    charts,
    band,
    ring,
    tip,
  );
  const key = html(
    "p",
    { class: "key" },
    [
      ["line", "segments, ± their noise"],
      ["cut", "changes"],
      ["fade", "probability 0 to 100 %"],
    ].map(([name, text]) => html("span", {}, html("span", { class: `swatch ${name}` }), text)),
  );
  const csv = html("button", { type: "button", class: "save" }, "Save as CSV");
  root.append(
    html(
      "header",
      {},
      html("h1", {}, data.title),
      html("p", { class: "lead" }, data.lead),
      data.unplaced.texts.map((text) => html("p", { class: "unplaced" }, text)),
    ),
    html(
      "div",
      { class: "controls" },
      crumbs,
      html(
        "div",
        { class: "slide" },
        html("span", {}, "Tree"),
        asFound,
        html("label", {}, html("span", {}, "surest nodes"), slider, html("span", {}, "whole tree")),
      ),
      said,
    ),
    place,
    key,
    html(
      "div",
      { class: "halves" },
      section("nodes", "Tree, node by node", outline),
      section("about", "What is looked at", panel),
    ),
    section("segments", "Segments", html("div", { class: "beside" }, csv), table),
    html(
      "div",
      { class: "thirds" },
      section(
        "model",
        "Model",
        kindsOf(data.kinds),
        data.model.map((text) => html("p", {}, text)),
      ),
      section(
        "trust",
        "How far to trust it",
        html(
          "ul",
          {},
          data.trust.map(({ mood, text }) =>
            html(
              "li",
              { class: mood },
              html("span", { class: "mood" }, mood === "good" ? "✓" : "!"),
              html("span", {}, mood === "good" ? text : ["Take care. ", text]),
            ),
          ),
        ),
      ),
      section(
        "made",
        "How it was made",
        html(
          "dl",
          {},
          data.made.map(([name, text]) => [html("dt", {}, name), html("dd", {}, text)]),
        ),
      ),
    ),
  );

  const scapeTitle = html(
    "div",
    { class: "title" },
    html("span", { "aria-hidden": "true" }, "Probability of every span, the longer the higher"),
    html("label", {}, exactly, "with exactly these ends"),
  );
  return { crumbs, asFound, slider, said, charts, band, ring, tip, exactly, canvas, outline, panel, place, csv, scapeTitle };
};
