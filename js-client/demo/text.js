const prices = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percents = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const price = (value) => prices.format(value);
export const count = (value) => whole.format(value);
export const percent = (value) => `${percents.format(value).replace("-", "−")} %`;

/** Returns up, down or none for a change in percent, as it is shown. */
export function trend(changePercent) {
  const text = percents.format(changePercent);
  return text.startsWith("+") ? "up" : text.startsWith("-") ? "down" : "none";
}

/** Returns a duration in milliseconds or seconds. */
export function duration(ms) {
  return ms < 1_000 ? `${whole.format(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Sets the text of an element if it is another one. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Creates an element with a class and a text. */
export function create(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
