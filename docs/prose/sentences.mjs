// Sentences of a paragraph, without its markup.

/** Replaces all but the first character of code, which counts as one word. */
export const FILLER = "\u0000";
export const CODE = "X";

const END = /(?<=[.!?:;])\s+(?=[A-Z"“])|(?<=[.!?])\s+/g;

/**
 * @returns the paragraph's text with as many characters as its source: markup is blank, and code is
 *   the word X
 */
export function plainText(node, source) {
  if (node.plainText !== undefined) return node.plainText;
  const text = Array.from(source, (character) => (character === "\n" ? "\n" : " "));
  const start = node.range[0];
  const visit = (child) => {
    const [from, to] = child.range.map((offset) => offset - start);
    if (child.type === "Str") {
      for (let at = from; at < to; at++) text[at] = source[at];
    } else if (child.type === "Code") {
      text.fill(FILLER, from, to);
      text[from] = CODE;
    } else {
      child.children?.forEach(visit);
    }
  };
  node.children.forEach(visit);
  return text.join("");
}

/** @returns the sentences of a text, each with its offset */
export function sentencesOf(text) {
  const sentences = [];
  let start = 0;
  const add = (end) => {
    const raw = text.slice(start, end);
    const lead = /^[\s*_"“(]*/.exec(raw)[0].length;
    const sentence = raw.slice(lead).trimEnd();
    if (sentence) sentences.push({ text: sentence, offset: start + lead });
  };
  for (const end of text.matchAll(END)) {
    add(end.index);
    start = end.index + end[0].length;
  }
  add(text.length);
  return sentences;
}

export function wordCount(sentence) {
  return sentence
    .replaceAll(FILLER, "")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
