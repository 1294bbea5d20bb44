// Checks of the built site: links, anchors and included files, requests to other hosts, sizes.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const MAX_PAGE_BYTES = 320_000;
const LINK = /<a\b[^>]*?\shref="([^"]*)"/g;
const LOADED = /<(?:img|script|link|iframe|source)\b[^>]*?\s(?:src|href)="([^"]*)"/g;
const ID = /\sid="([^"]*)"/g;
const REMOTE_STYLE = /(?:url\(\s*["']?|@import\s+["'])(?:https?:)?\/\//;
const MISSING_SNIPPET = "Code snippet path not found";
const EXTERNAL = /^([a-z][a-z0-9+.-]*:|\/\/)/i;

/** @returns one line for each problem of the site in a folder */
export function problemsOf(site, base) {
  const files = readdirSync(site, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const pages = new Map(
    files
      .filter((name) => name.endsWith(".html"))
      .map((name) => [name, readFileSync(join(site, name), "utf8")]),
  );
  const ids = new Map(
    [...pages].map(([name, html]) => [name, new Set([...html.matchAll(ID)].map((id) => id[1]))]),
  );
  const problems = [];
  for (const [name, html] of pages) {
    const size = Buffer.byteLength(html);
    if (size > MAX_PAGE_BYTES) {
      problems.push(`${name} has ${size} bytes; allowed are ${MAX_PAGE_BYTES}`);
    }
    if (html.includes(MISSING_SNIPPET)) problems.push(`${name} includes a file that is missing`);
    for (const [, address] of html.matchAll(LOADED)) {
      if (EXTERNAL.test(address) && !address.startsWith("data:")) {
        problems.push(`${name} loads ${address} from another host`);
      } else {
        check(name, address);
      }
    }
    for (const [, address] of html.matchAll(LINK)) {
      if (!EXTERNAL.test(address)) check(name, address);
    }
  }
  for (const name of files.filter((file) => file.endsWith(".css"))) {
    if (REMOTE_STYLE.test(readFileSync(join(site, name), "utf8"))) {
      problems.push(`${name} loads a file from another host`);
    }
  }
  return [...new Set(problems)];

  function check(page, encoded) {
    const address = encoded.replaceAll("&amp;", "&");
    if (address === "" || address.startsWith("data:")) return;
    const [path, hash = ""] = address.split("#", 2);
    const target = path === "" ? page : fileOf(page, decodeURIComponent(path.split("?")[0]));
    if (target === undefined) {
      problems.push(`${page} has a dead link to ${address}`);
    } else if (hash !== "" && ids.has(target) && !ids.get(target).has(decodeURIComponent(hash))) {
      problems.push(`${page} links to ${address}, which has no such heading`);
    }
  }

  function fileOf(page, path) {
    const name = path.startsWith("/")
      ? path.startsWith(base) && path.slice(base.length)
      : posix.join(dirname(page), path);
    if (name === false) return undefined;
    const candidates =
      name === "" || name.endsWith("/") ? [`${name}index.html`] : [name, `${name}.html`];
    return candidates.find((file) => existsSync(join(site, file)) && isFile(join(site, file)));
  }
}

function isFile(path) {
  return statSync(path).isFile();
}
