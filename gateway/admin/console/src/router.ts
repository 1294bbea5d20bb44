import { useEffect, useState } from "preact/hooks";

/** Place in the console: decoded path segments and parameters after the `#` of the address. */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").map(decoded), query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the link to a place. */
export function href(path: readonly string[], query: Record<string, string | number> = {}): string {
  const shown = Object.entries(query).filter(([, value]) => value !== "" && value !== 0);
  const parameters = new URLSearchParams(shown.map(([name, value]) => [name, String(value)]));
  const suffix = shown.length === 0 ? "" : `?${parameters.toString()}`;
  return `#/${path.map(encodeURIComponent).join("/")}${suffix}`;
}

/** Replaces the current place, without an entry in the history. */
export function replace(to: string): void {
  history.replaceState(null, "", to);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const update = () => {
      setRoute(parse(location.hash));
    };
    window.addEventListener("hashchange", update);
    return () => {
      window.removeEventListener("hashchange", update);
    };
  }, []);
  return route;
}
