import { FrameError } from "./frame-error.js";

/** Token of a selector. */
export interface Token {
  readonly kind: "string" | "number" | "name" | "symbol" | "end";
  /** Text as written, words that are reserved in capitals; content of a string. */
  readonly text: string;
  readonly at: number;
}

const RESERVED = new Set(
  "AND BETWEEN ESCAPE FALSE IN IS LIKE NOT NULL OR TRUE XPATH XQUERY".split(" "),
);
const NUMBER =
  "0[xX][0-9a-fA-F]+[lL]?|(?:\\d+\\.\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?|\\d+[eE][+-]?\\d+|\\d+[lL]?";
const TOKEN = new RegExp(
  `\\s*(?:'((?:[^']|'')*)'|(${NUMBER})|([\\p{L}_$][\\p{L}\\p{N}_$]*)|(<>|<=|>=|[=<>+\\-*/(),]))`,
  "uy",
);
// A node refuses them because they could hide other elements.
const HIDING = /\s*("|--|\/\*)/y;

/** Returns the error of a selector. */
export function invalidSelector(message: string): FrameError {
  return new FrameError("invalid-selector", message);
}

/** Splits a selector into its tokens; the last one is its end. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== "") {
    HIDING.lastIndex = TOKEN.lastIndex = at;
    if (HIDING.test(text)) {
      throw invalidSelector('"where" must not contain comments or double quotation marks');
    }
    const match = TOKEN.exec(text);
    if (!match) throw unexpected(text, at);
    tokens.push(toToken(match, at));
    at = TOKEN.lastIndex;
  }
  return [...tokens, { kind: "end", text: "its end", at: text.length }];
}

function toToken([, string, number, name, symbol = ""]: RegExpExecArray, at: number): Token {
  if (string !== undefined) return { kind: "string", text: string.replaceAll("''", "'"), at };
  if (number !== undefined) return { kind: "number", text: number, at };
  if (name === undefined) return { kind: "symbol", text: symbol, at };
  const word = name.toUpperCase();
  return RESERVED.has(word) ? { kind: "symbol", text: word, at } : { kind: "name", text: name, at };
}

function unexpected(text: string, at: number): FrameError {
  const rest = text.slice(at).trimStart();
  const place = String(text.length - rest.length + 1);
  return invalidSelector(
    `unexpected ${JSON.stringify(rest.slice(0, 20))} at character ${place} of "where"`,
  );
}
