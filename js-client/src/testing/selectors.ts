import type { JsonObject } from "../engine/json.js";
import { badFrame } from "./frame-error.js";
import type { Selector } from "./selector-type.js";

let parse: ((text: string) => Selector) | undefined;

/** Loads the parser of selectors; returns undefined if it is loaded. */
export function loadSelectors(): Promise<unknown> | undefined {
  if (parse) return undefined;
  return import("./selector.js").then(({ parseSelector }) => (parse = parseSelector));
}

/** Returns the selector of a frame whose modules are loaded; undefined without one. */
export function selectorOf({ where }: JsonObject): Selector | undefined {
  if (where === undefined) return undefined;
  if (typeof where !== "string" || where.trim() === "") {
    throw badFrame("where", "a string that is not blank");
  }
  return parse?.(where);
}
