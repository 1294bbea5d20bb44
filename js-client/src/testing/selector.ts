import { FrameError } from "./frame-error.js";
import { parseExpression } from "./selector-parser.js";
import type { Selector } from "./selector-type.js";

const MAX_LENGTH = 4_096;

/**
 * Parses a message selector.
 *
 * @throws FrameError `invalid-selector`, if a node or a broker refuses it, or if it has an element
 *   that is not supported
 */
export function parseSelector(text: string): Selector {
  if (text.length > MAX_LENGTH) {
    const message = `"where" has ${String(text.length)} characters; limits.selector-length is ${String(MAX_LENGTH)}`;
    throw new FrameError("invalid-selector", message);
  }
  const evaluate = parseExpression(text);
  return { text, matches: (message) => evaluate(message) === true };
}
