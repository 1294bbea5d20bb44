// Code examples of pages.
import { readFileSync } from "node:fs";

const FENCE = /^```([a-z]+)\n([\s\S]*?)^```$/gm;

/** Returns the examples of a page in these languages, with the line of each. */
export function snippetsOf(page, languages) {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(FENCE)]
    .filter(([, language]) => languages.includes(language))
    .map(({ index, 1: language, 2: code }) => ({
      language,
      code,
      line: text.slice(0, index).split("\n").length,
    }));
}
