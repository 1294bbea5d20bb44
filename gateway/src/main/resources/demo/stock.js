// The market feed's payload: "TS=<unix time in ns> SEQ=<number> " and a JSON object.
const HEADER = /^TS=(\d+) SEQ=(\d+) /;

/** Parses a payload; returns undefined if it is not one of the feed. */
export function parseStock(payload) {
  const header = typeof payload === "string" ? HEADER.exec(payload) : null;
  if (!header) return undefined;
  const fields = parseObject(payload.slice(header[0].length));
  if (!fields || !Number.isFinite(fields.price)) return undefined;
  const open = Number.isFinite(fields.open) ? fields.open : fields.price;
  return {
    // A number cannot represent nanoseconds exactly; the error is below a microsecond.
    sentAt: Number(header[1]) / 1e6,
    symbol: String(fields.symbol ?? ""),
    name: String(fields.name ?? ""),
    price: fields.price,
    changePercent: open === 0 ? 0 : ((fields.price - open) / open) * 100,
  };
}

function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
