/** Returns the options of a subscription for the value of the page's control. */
export function deliveryOptions(value) {
  const rate = Number(value);
  return rate > 0 ? { rate } : { delivery: value };
}
