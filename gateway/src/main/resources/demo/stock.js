// The market feed's payload: "TS=<unix time in ns> SEQ=<number> " and a JSON object.
const HEADER = /^TS=(\d+) SEQ=(\d+) /;

/** Reads a payload; undefined if it is none of the feed's. */
export function parseStock(payload) {
  const header = typeof payload === "string" ? HEADER.exec(payload) : null;
  if (!header) return undefined;
  const fields = parseObject(payload.slice(header[0].length));
  if (!fields || !Number.isFinite(fields.price)) return undefined;
  const open = Number.isFinite(fields.open) ? fields.open : fields.price;
  return {
    // Nanoseconds do not fit a number exactly; what is lost is under a microsecond.
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
