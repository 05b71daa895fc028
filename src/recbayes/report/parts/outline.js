/* The tree as a nested list, for keys and for those who hear the page: one item at a time can be reached by Tab, arrows go on.
   Items are rows beside their groups, not around them: what has the focus is seen whole, and is called what it shows. */

const OPEN = 4; // levels that are open at first, where a tree has many nodes
const MANY = 60;
const BATCH = 1500; // nodes that are listed

const makeOutline = (nodes, words, act) => {
  const items = new Map(),
    named = `recbayes-${Math.random().toString(36).slice(2)}`;
  const list = html("ul", {
    role: "tree",
    "aria-label": "Tree: arrow keys move, Enter zooms, Escape goes back",
    class: "outline",
  });
  const listed = nodes.slice(0, BATCH);
  for (const node of listed) {
    const siblings = node.parent ? node.parent.children : [node];
    const open = listed.length <= MANY || node.depth < OPEN - 1;
    const toggle = html("span", { class: "toggle", "aria-hidden": "true" }, node.children.length ? "▸" : "");
    const bar = html("span", { class: "bar", "aria-hidden": "true" }, html("i"));
    bar.firstChild.style.width = `${100 * node.probability}%`;
    const item = html(
      "div",
      {
        class: "item",
        role: "treeitem",
        tabindex: -1,
        "aria-level": node.depth + 1,
        "aria-setsize": siblings.length,
        "aria-posinset": siblings.indexOf(node) + 1,
        "aria-expanded": node.children.length ? String(open) : null,
        "aria-label": words.aloud(node),
        "data-span": `${node.start}:${node.end}`,
      },
      toggle,
      html(
        "span",
        { class: "what" },
        html("b", {}, words.ends(node)),
        " ",
        html("span", { class: "quiet" }, words.brief(node)),
      ),
      " ",
      bar,
      html("span", { class: "number" }, percent(node.probability)),
    );
    item.node = node;
    items.set(node, item);
    const entry = html("li", { role: "none" }, item);
    if (!node.parent) {
      list.append(entry);
      continue;
    }
    const above = items.get(node.parent);
    if (!above.group) {
      above.group = html("ul", { role: "group", id: `${named}-${items.size}` });
      above.setAttribute("aria-owns", above.group.id);
      above.after(above.group);
    }
    above.group.append(entry);
  }

  const expand = (item, open) => item.group && item.setAttribute("aria-expanded", String(open));
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const visible = () => [...items.values()].filter((item) => item.offsetParent !== null);
  let current = list.querySelector(".item");
  const reach = (item) => {
    current.tabIndex = -1;
    current = item;
    current.tabIndex = 0;
  };
  reach(current);
  const go = (item) => item && (reach(item), item.focus());
  const itemOf = (event) => event.target.closest(".item");

  list.addEventListener("keydown", (event) => {
    const item = itemOf(event),
      all = visible(),
      place = all.indexOf(item);
    const keys = {
      ArrowDown: () => go(all[place + 1]),
      ArrowUp: () => go(all[place - 1]),
      Home: () => go(all[0]),
      End: () => go(all.at(-1)),
      ArrowRight: () => (item.group && !isOpen(item) ? expand(item, true) : item.group && go(item.group.querySelector(".item"))),
      ArrowLeft: () => (item.group && isOpen(item) ? expand(item, false) : go(items.get(item.node.parent))),
      Enter: () => act.zoom(item.node),
      " ": () => act.zoom(item.node),
    };
    if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  list.addEventListener("focusin", (event) => {
    if (!itemOf(event)) return;
    reach(itemOf(event));
    act.look(itemOf(event).node);
  });
  list.addEventListener("focusout", () => act.look(null));
  list.addEventListener("mouseover", (event) => itemOf(event) && act.look(itemOf(event).node));
  list.addEventListener("mouseleave", () => act.look(null));
  list.addEventListener("click", (event) => {
    const item = itemOf(event);
    if (!item) return;
    if (event.target.closest(".toggle") && item.group) expand(item, !isOpen(item));
    else act.zoom(item.node);
  });
  const rest = nodes.length - listed.length;
  return rest > 0
    ? [list, html("p", { class: "quiet" }, `${counted(rest, "more node")} of the tree: zoom in to see them above.`)]
    : [list];
};
