// Plugin of textlint that reads the comments of Java and TypeScript sources. A paragraph of a
// comment is a paragraph of the document, at its position in the file.
import { CODE, FILLER } from "./sentences.mjs";

const JAVA = /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const TYPESCRIPT =
  /`(?:\\[\s\S]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

/** Begins a paragraph. */
const BREAK = "\u0001";

function blank(text) {
  return text.replace(/[^\n]/g, " ");
}

function code(text) {
  return CODE + FILLER.repeat(text.length - 1);
}

function breakBefore(text) {
  return BREAK + blank(text.slice(1));
}

/** Comments as [start, end]; those of consecutive lines are one. */
function commentsOf(source, tokens) {
  const comments = [];
  for (const { 0: token, index } of source.matchAll(tokens)) {
    if (!token.startsWith("//") && !token.startsWith("/*")) continue;
    const last = comments.at(-1);
    const joins =
      last?.isLine && token.startsWith("//") && /^\n[ \t]*$/.test(source.slice(last.end, index));
    if (joins) last.end = index + token.length;
    else comments.push({ start: index, end: index + token.length, isLine: token[1] === "/" });
  }
  return comments;
}

/** The text of a comment with as many characters as its source; its markup is blank. */
function textOf(comment) {
  return comment
    .replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/+)/gm, blank)
    .replace(/\*\/$/, blank)
    .replace(/<pre>[\s\S]*?<\/pre>|```[\s\S]*?```/g, breakBefore)
    .replace(/\{@(?:code|literal|value|snippet)\b[^}]*\}/g, code)
    .replace(/\{@link(?:plain)?\s+[\w.#$]+(?:\([^)]*\))?\s*\}/g, code)
    .replace(/(\{@link(?:plain)?\s+[\w.#$]+(?:\([^)]*\))?\s+)([^}]*)(\})/g, (all, open, label) => {
      return blank(open) + label + " ";
    })
    .replace(/`[^`\n]+`/g, code)
    .replace(/<\/?(?:p|ul|ol|li|dl|dt|dd|table|tr|td|th|h\d)\b[^>]*>/g, breakBefore)
    .replace(/<\/?\w+[^>\n]*>/g, blank)
    .replace(/^([ \t]*)(@see\b[^\n]*)/gm, (all, indent, tag) => indent + breakBefore(tag))
    .replace(
      /^([ \t]*)(@(?:param|throws|typeParam|template)\s+\S+(?:\s+-\s)?|@\w+)/gm,
      (all, indent, tag) => {
        return indent + breakBefore(tag);
      },
    )
    .replace(/^([ \t]*)(?=(?:[-*]|\d+\.)\s)/gm, (indent) =>
      indent ? indent.slice(1) + BREAK : "",
    );
}

function paragraphsOf(source, tokens) {
  return commentsOf(source, tokens).flatMap(({ start, end }) => {
    const comment = source.slice(start, end);
    const isDoc = comment.startsWith("/**");
    let offset = start;
    const paragraphs = [];
    for (const part of textOf(comment).split(/(\u0001|\n[ \t]*(?=\n))/)) {
      const lead = /^\s*/.exec(part)[0].length;
      const text = part.trim();
      if (/\p{L}/u.test(text)) {
        const from = offset + lead;
        const isSummary = isDoc && paragraphs.length === 0;
        paragraphs.push({ start: from, end: from + text.length, plainText: text, isSummary });
      }
      offset += part.length;
    }
    return paragraphs;
  });
}

/** Parses sources into documents of textlint. */
function parse(source, tokens) {
  const lines = [0];
  for (const { index } of source.matchAll(/\n/g)) lines.push(index + 1);
  const node = (type, start, end, more) => ({
    type,
    raw: source.slice(start, end),
    range: [start, end],
    loc: { start: place(lines, start), end: place(lines, end) },
    ...more,
  });
  const children = paragraphsOf(source, tokens).map(({ start, end, plainText, isSummary }) => {
    const str = node("Str", start, end, { value: source.slice(start, end) });
    return node("Paragraph", start, end, { plainText, isSummary, children: [str] });
  });
  return node("Document", 0, source.length, { children });
}

function place(lines, offset) {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - lines[low] };
}

class CommentsProcessor {
  availableExtensions() {
    return [".java", ".ts", ".tsx"];
  }

  processor(extension) {
    return {
      preProcess: (text) => parse(text, extension === ".java" ? JAVA : TYPESCRIPT),
      postProcess: (messages, filePath) => ({ messages, filePath: filePath ?? "<text>" }),
    };
  }
}

export const COMMENTS = { Processor: CommentsProcessor };
