import { sparkline } from "./sparkline.js";

const SVG = "http://www.w3.org/2000/svg";
const CAPACITY = 32;
const WIDTH = 64;
const HEIGHT = 24;

/** Returns a small SVG line of a series, without a text alternative: numbers stand beside it. */
export function spark() {
  const element = document.createElementNS(SVG, "svg");
  element.setAttribute("class", "spark");
  element.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  element.setAttribute("preserveAspectRatio", "none");
  element.setAttribute("aria-hidden", "true");
  const line = element.appendChild(document.createElementNS(SVG, "polyline"));
  const draw = (series) => {
    const values = series.last(CAPACITY);
    const shape = { capacity: CAPACITY, width: WIDTH, height: HEIGHT };
    line.setAttribute("points", sparkline(values, shape));
  };
  return { element, draw };
}
