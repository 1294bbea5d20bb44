/** Reads the payload of the market feed; returns undefined if it is another one. */
export function parseStock(payload) {
  const fields = typeof payload === "string" ? parseObject(payload) : undefined;
  if (!fields || !Number.isFinite(fields.price) || !Number.isFinite(fields.time)) return undefined;
  const open = Number.isFinite(fields.open) ? fields.open : fields.price;
  return {
    sentAt: fields.time,
    sequence: fields.sequence,
    symbol: String(fields.symbol ?? ""),
    name: String(fields.name ?? ""),
    price: fields.price,
    open,
    volume: Number(fields.volume) || 0,
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
