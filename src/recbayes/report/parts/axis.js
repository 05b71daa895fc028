/* Rows, their times and names. Positions are edges: row r goes from r to r + 1, and what was observed stands in its middle. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SECOND = 1000,
  MINUTE = 60 * SECOND,
  HOUR = 60 * MINUTE,
  DAY = 24 * HOUR,
  YEAR = 365.2425 * DAY;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .map((n) => n)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
    [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  )
  .concat(
    [1, 2, 3, 6, 12].map((n) => n * HOUR),
    [1, 2, 7, 14].map((n) => n * DAY),
  );

const roundStep = (extent, most) => {
  const decade = 10 ** Math.floor(Math.log10(extent / most));
  return [1, 2, 5, 10].map((n) => n * decade).find((step) => extent / step <= most * 1.0001) ?? 10 * decade;
};

const roundNumbers = (low, high, most) => {
  if (!(high > low)) return [];
  const step = roundStep(high - low, Math.max(most, 1)),
    found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++)
    found.push(Number((n * step).toPrecision(15)));
  return found;
};

const two = (number) => String(number).padStart(2, "0");

/* Dates that are round, with what is said of them; of times of a day, also which day it is. */
const roundDates = (low, high, most) => {
  const extent = high - low,
    found = [];
  const months = [1, 3, 6].find((n) => extent / ((n * YEAR) / 12) <= most);
  const small = STEPS.find((step) => extent / step <= most);
  if (small && small <= 14 * DAY) {
    for (let time = Math.ceil(low / small) * small; time <= high; time += small) {
      const date = new Date(time),
        today = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
      const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
      const seconds = small < MINUTE ? `:${two(date.getUTCSeconds())}` : "";
      const parts = small < SECOND ? `.${String(date.getUTCMilliseconds()).padStart(3, "0")}` : "";
      const whole = `${today} ${date.getUTCFullYear()}`;
      if (small >= DAY) found.push([time, found.length && date.getUTCMonth() ? today : whole]);
      else found.push([time, clock + seconds + parts, whole]);
    }
    return found;
  }
  const first = new Date(low),
    step = months ?? 12 * Math.max(1, roundStep(extent / YEAR, most));
  for (let month = 12 * first.getUTCFullYear(), n = Math.floor((month + first.getUTCMonth()) / step) * step; ; n += step) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(n / 12), ((n % 12) + 12) % 12, 1);
    if (+date > high) return found;
    if (+date < low) continue;
    const year = String(date.getUTCFullYear()),
      name = MONTHS[date.getUTCMonth()];
    found.push([+date, step >= 12 ? year : `${name} ${year}`]);
  }
};

const makeAxis = ({ kind, rows, names, knots, times }, length) => {
  const named = new Map(names ? rows.map((row, n) => [row, names[n]]) : []);
  const name = (row) => named.get(row) ?? `row ${row}`;
  const timeAt = (position) => between(position - 0.5, knots, times);
  const rowOf = (time) => between(time, times, knots) + 0.5;

  /* Between neighbouring rows, further than that from each other: no row has such a time. */
  const inGap = (time, far) => {
    const after = placeOf(times, time);
    if (!after || after === times.length || times[after] === time) return false;
    return knots[after] - knots[after - 1] === 1 && times[after] - times[after - 1] > far;
  };
  const roundTimes = (low, high, most) => {
    const [from, to] = [timeAt(low), timeAt(high)];
    const found =
      kind === "dates"
        ? roundDates(from, to, most)
        : roundNumbers(from, to, most).map((number) => [number, minus(String(number))]);
    const far = found.length > 1 ? 1.5 * (found[1][0] - found[0][0]) : Infinity;
    return found.filter(([time]) => !inGap(time, far)).map(([time, ...texts]) => [rowOf(time), ...texts]);
  };

  /* Positions and texts, about one in so many pixels; where gaps leave few of them, finer ones. */
  const ticks = (low, high, pixels) => {
    const most = Math.max(Math.floor(pixels / (kind === "rows" || kind === "numbers" ? 75 : 95)), 2);
    const inside = ([position]) => position >= low && position <= high;
    if (kind === "dates" || kind === "numbers") {
      let best = [];
      for (let more = 1; more <= 64 && best.length < Math.max(most / 3, 2); more *= 2) {
        const found = roundTimes(low, high, more * most).filter(inside);
        if (found.length > best.length) best = found.filter((_, n) => n % Math.ceil(found.length / (most + 1)) === 0);
      }
      if (best.length > 1) return best;
    }
    if (kind === "rows")
      return roundNumbers(low, high, most)
        .filter(Number.isInteger)
        .map((row) => [row + 0.5, String(row)])
        .filter(inside);
    const found = new Map();
    for (let n = 0; n < most; n++) {
      const wanted = low + ((n + 0.5) / most) * (high - low) - 0.5;
      const after = clamp(placeOf(rows, wanted), 0, rows.length - 1);
      found.set(rows[after] + 0.5, shortened(name(rows[after]), 12));
    }
    return [...found].filter(inside);
  };

  const ends = (start, end) =>
    end - start === 1
      ? [name(start)]
      : kind === "rows"
        ? [`rows ${start}`, `to ${end - 1}`]
        : [name(start), `to ${name(end - 1)}`];
  const span = (start, end) => ends(start, end).join(" ");
  return { ticks, name, span, ends };
};
