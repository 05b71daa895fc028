/* Elements and numbers. All text becomes text nodes: whatever names look like, they are never markup. */

const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
};
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/* With a minus that is one, and none before nothing. */
const minus = (text) => (/^-[0.]*$/.test(text) ? text.slice(1) : text.replace(/-/g, "−"));

/* With so many digits that a tenth of the extent can be seen. */
const told = (value, extent = 0) => {
  if (value === null || value === undefined) return "unknown";
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-4)) return minus(value.toPrecision(3).replace("e+", "e"));
  if (!(extent > 0)) return minus(String(Number(value.toPrecision(5))));
  const places = Math.min(Math.max(1 - Math.floor(Math.log10(extent)), 0), 7);
  return minus(value.toFixed(places));
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
