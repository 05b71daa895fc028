/* Elements and numbers. All text becomes text nodes: whatever names look like, they are never markup. */

const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : withoutTurns(String(value)));
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  element.append(...shown.map((child) => (typeof child === "string" ? withoutTurns(child) : child)));
  return element;
};

/* What turns the direction of the text around it is told by its number, as in still pictures. */
const withoutTurns = (text) =>
  text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/* With a minus that is one, and none before nothing. */
const minus = (text) => (/^-[0.]*$/.test(text) ? text.slice(1) : text.replace(/-/g, "−"));

/* With so many digits that a tenth of the extent can be seen; large numbers that need few of them, and those that are small
   like their extents, with a power of ten. */
const told = (value, extent = 0) => {
  if (value === null || value === undefined) return "unknown";
  const size = Math.abs(value);
  if (!(extent > 0)) {
    const text = size >= 1e7 || (size > 0 && size < 1e-4) ? value.toExponential(4) : String(Number(value.toPrecision(5)));
    return minus(text.replace(/\.?0*e\+?/, "e"));
  }
  const places = 1 - Math.floor(Math.log10(extent) + 1e-9);
  const digits = clamp(size > 0 ? Math.floor(Math.log10(size)) + 1 + places : 1, 1, 17);
  if ((size >= 1e7 && digits < 4) || size >= 1e15 || (size > 0 && size < 1e-4 && places > 5))
    return minus(value.toExponential(digits - 1).replace("e+", "e"));
  return size > 0 || places <= 5 ? minus(value.toFixed(clamp(places, 0, 15))) : "0";
};

const withInterval = ([value, low, high]) => {
  const extent = high - low;
  if (!(extent > 0)) return told(value);
  return `${told(value, extent)} (${told(low, extent)} to ${told(high, extent)})`;
};

/* In percent; what is not certain is never said to be. */
const percent = (probability) => {
  const number = Math.round(100 * probability);
  if (number === 100 && probability < 0.9995) return "> 99 %";
  return number === 0 && probability > 0 ? "< 1 %" : `${number} %`;
};

const counted = (number, noun) => `${number.toLocaleString("en").replace(/,/g, " ")} ${noun}${number === 1 ? "" : "s"}`;

const shortened = (text, most) => (text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}…` : text);

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/* Where in a rising list the first entry is that is not less. */
const placeOf = (list, value) => {
  let low = 0,
    high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/* The line through points (these, those), beyond its ends as it ends. */
const between = (value, these, those) => {
  const next = clamp(placeOf(these, value), 1, these.length - 1);
  const share = (value - these[next - 1]) / (these[next] - these[next - 1] || 1);
  return those[next - 1] + share * (those[next] - those[next - 1]);
};
