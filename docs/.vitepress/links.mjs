// Links between Markdown files that work in the repository and on the site.
import { existsSync, statSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { ADDRESSES, DOCS, link } from "./pages.mjs";

const REPOSITORY = join(DOCS, "..");
const EXTERNAL = /^([a-z][a-z0-9+.-]*:|\/\/)/i;

/** Files and folders below docs/ that the site serves as they are. */
export const SERVED = [
  "protocol",
  "benchmarks/results",
  "security/results",
  "reference/admin-openapi.yaml",
  "reference/asyncapi.yaml",
  "reference/jms-client-options.csv",
];

/**
 * markdown-it plugin. A link to a page becomes the page's address. A link to another file of the
 * repository leads to `sources`, the address of the repository's files, or becomes plain text if
 * there is none. A link to a missing file fails the build.
 */
export function repositoryLinks(markdown, sources) {
  markdown.core.ruler.push("repository_links", ({ tokens, env }) => {
    for (const { children } of tokens) {
      if (children) rewrite(children, env.realPath ?? env.path, sources);
    }
  });
}

function rewrite(tokens, file, sources) {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token.type !== "link_open") continue;
    const target = resolve(token.attrGet("href"), file, sources);
    if (target !== undefined) {
      token.attrSet("href", target);
      continue;
    }
    const close = tokens.findIndex(({ type }, at) => at > index && type === "link_close");
    tokens.splice(close, 1);
    tokens.splice(index, 1);
    index--;
  }
}

/** @returns the link on the site, or undefined if it leads nowhere on it */
function resolve(href, file, sources) {
  if (href.startsWith("#") || href.startsWith("/") || EXTERNAL.test(href)) return href;
  const [path, hash] = href.split("#", 2);
  const anchor = hash === undefined ? "" : `#${hash}`;
  const target = join(dirname(file), decodeURIComponent(path));
  if (!existsSync(target)) {
    throw new Error(`${relative(REPOSITORY, file)}: dead link to ${href}`);
  }
  const inDocs = relative(DOCS, target).split(sep).join(posix.sep);
  const page = statSync(target).isDirectory() ? `${inDocs.replace(/\/$/, "")}/index.md` : inDocs;
  if (ADDRESSES.has(page)) return link(ADDRESSES.get(page)) + anchor;
  if (SERVED.some((path) => `${inDocs}/`.startsWith(`${path}/`))) return `/${inDocs}`;
  if (!sources) return undefined;
  return new URL(relative(REPOSITORY, target).split(sep).join(posix.sep), sources).href + anchor;
}
