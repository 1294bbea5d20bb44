const MARGIN = 2;

/**
 * Returns the points of an SVG line from the oldest value (left) to the newest (right).
 *
 * @param values - At most `capacity` numbers; with fewer the line starts further right.
 * @param floor - Value at the lower edge; default the minimum of the values.
 */
export function sparkline(values, { capacity, width, height, floor }) {
  const low = floor ?? Math.min(...values);
  const range = Math.max(...values) - low;
  const drawable = height - 2 * MARGIN;
  const flat = floor === undefined ? 0.5 : 0;
  return values
    .map((value, i) => {
      const share = range > 0 ? (value - low) / range : flat;
      const x = left(values.length - i, capacity, width);
      return `${x.toFixed(1)},${(MARGIN + (1 - share) * drawable).toFixed(1)}`;
    })
    .join(" ");
}

/** Returns the x coordinate of the value with so many values up to the newest one. */
export function left(count, capacity, width) {
  return width - (width / (capacity - 1)) * (count - 1);
}
