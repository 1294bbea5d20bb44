const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];
const NONE = "–";

/** Returns a number with at most one decimal, or a dash. */
export function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  return (value >= 100 ? COUNT : NUMBER).format(value);
}

/** Returns bytes in the largest unit in which they are at least 1. */
export function bytes(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < BYTE_UNITS.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${number(rest)} ${BYTE_UNITS[unit] ?? ""}`;
}

/** Returns a duration in its largest unit. */
export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return NONE;
  if (ms < 1000) return `${number(ms)} ms`;
  if (ms < 120_000) return `${number(ms / 1000)} s`;
  if (ms < 7_200_000) return `${number(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${number(ms / 3_600_000)} h`;
  return `${number(ms / 86_400_000)} d`;
}

/** Returns the time since a time in Unix milliseconds. */
export function age(at: number | undefined): string {
  return at === undefined ? NONE : duration(Math.max(0, Date.now() - at));
}

/** Returns a time in Unix milliseconds as local date and time. */
export function time(at: number | undefined): string {
  return at === undefined ? NONE : new Date(at).toLocaleString("sv");
}

/** Returns a subject; anonymous clients have none. */
export function subject(value: string): string {
  return value === "" ? "(anonymous)" : value;
}
