// Mermaid diagrams, rendered to SVG by Chromium before the pages are built: one picture for the
// light and one for the dark appearance. Pictures are cached by the hash of their source.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ADDRESSES, DOCS } from "./pages.mjs";

const CACHE = join(DOCS, "node_modules", ".cache", "diagrams");
const MERMAID = join(DOCS, "node_modules", "mermaid", "dist", "mermaid.min.js");
// An address and no import, because VitePress bundles what its configuration imports.
const CHROMIUM = pathToFileURL(join(DOCS, "..", "js-client", "browser", "chromium.mjs")).href;
const FENCE = /^```mermaid\n([\s\S]*?)^```$/gm;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** Pixels below which a diagram is scrolled instead of scaled down. */
const READABLE_WIDTH = 520;

const LIGHT = {
  primaryColor: "#eef4fb",
  primaryBorderColor: "#3f74ad",
  primaryTextColor: "#1d2733",
  secondaryColor: "#f4f5f7",
  tertiaryColor: "#f7f9fb",
  tertiaryBorderColor: "#c3ccd6",
  lineColor: "#55657a",
  textColor: "#1d2733",
  noteBkgColor: "#fdf6e0",
  noteBorderColor: "#c9a94a",
  noteTextColor: "#1d2733",
  edgeLabelBackground: "#ffffff",
};

const DARK = {
  darkMode: true,
  primaryColor: "#22364d",
  primaryBorderColor: "#7fb0e6",
  primaryTextColor: "#e6edf5",
  secondaryColor: "#2a2d34",
  tertiaryColor: "#23262c",
  tertiaryBorderColor: "#4a5462",
  lineColor: "#a3b1c2",
  textColor: "#e6edf5",
  noteBkgColor: "#3a3420",
  noteBorderColor: "#b89a4a",
  noteTextColor: "#f0e8d0",
  edgeLabelBackground: "#1b1b1f",
};

const APPEARANCES = { light: LIGHT, dark: DARK };
const VERSION = createHash("sha256")
  .update(JSON.stringify([APPEARANCES, FONT]))
  .update(readFileSync(join(DOCS, "node_modules", "mermaid", "package.json")))
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest("hex");

function hashOf(source) {
  return createHash("sha256").update(VERSION).update(source).digest("hex").slice(0, 16);
}

function cached(source, appearance) {
  return join(CACHE, `${hashOf(source)}-${appearance}.svg`);
}

function isCached(source) {
  return Object.keys(APPEARANCES).every((appearance) => existsSync(cached(source, appearance)));
}

/** Renders the diagrams of all pages that are not in the cache. */
export async function renderDiagrams() {
  const missing = sources().filter((source) => !isCached(source));
  if (missing.length === 0) return;
  mkdirSync(CACHE, { recursive: true });
  let browser;
  try {
    const { launchChromium } = await import(CHROMIUM);
    browser = await launchChromium();
  } catch (error) {
    if (isChromiumExpected()) throw error;
    console.warn(`diagrams are shown as text, because Chromium does not start: ${error.message}`);
    return;
  }
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ path: MERMAID });
    for (const source of missing) {
      for (const [appearance, colors] of Object.entries(APPEARANCES)) {
        writeFileSync(cached(source, appearance), await render(page, source, colors));
      }
    }
  } finally {
    await browser.close();
  }
}

/** Chromium comes with the JavaScript client's packages for Linux on x86-64 only. */
function isChromiumExpected() {
  return (
    process.env.CHROMIUM !== undefined || (process.platform === "linux" && process.arch === "x64")
  );
}

function sources() {
  return [...ADDRESSES.keys()].flatMap((file) =>
    [...readFileSync(join(DOCS, file), "utf8").matchAll(FENCE)].map((match) => match[1]),
  );
}

async function render(page, source, colors) {
  const settings = {
    startOnLoad: false,
    theme: "base",
    themeVariables: {
      ...colors,
      fontSize: "15px",
      fontFamily: FONT,
      useGradient: false,
      dropShadow: "none",
    },
    // An opaque background, so that an edge does not cross its label.
    themeCSS: ".edgeLabel rect { opacity: 1; }",
    fontFamily: FONT,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false, padding: 14 },
    sequence: { useMaxWidth: false, mirrorActors: false },
    state: { useMaxWidth: false },
  };
  return page.evaluate(
    async ([text, config]) => {
      globalThis.mermaid.initialize(config);
      const { svg } = await globalThis.mermaid.render("diagram", text);
      const parsed = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
      return new XMLSerializer().serializeToString(parsed);
    },
    [source, settings],
  );
}

/** markdown-it plugin: a fence of the language `mermaid` becomes its pictures. */
export function diagrams(markdown) {
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== "mermaid" || !isCached(content)) return fence(tokens, index, ...rest);
    return `<figure class="diagram" tabindex="0">${image(content, "light")}${image(content, "dark")}</figure>\n`;
  };

  function image(source, appearance) {
    const svg = readFileSync(cached(source, appearance), "utf8");
    const [width, height] = /viewBox="\S+ \S+ ([\d.]+) ([\d.]+)"/
      .exec(svg)
      .slice(1)
      .map((length) => Math.ceil(Number(length)));
    const alt = /^\s*accDescr:\s*(.+)$/m.exec(source)?.[1];
    if (!alt) throw new Error(`a diagram has no accDescr: ${source.slice(0, 80)}`);
    return (
      `<img class="on-${appearance}" src="/${posix.relative(DOCS, cached(source, appearance))}"` +
      ` width="${width}" height="${height}" loading="lazy"` +
      ` style="min-width: ${Math.min(width, READABLE_WIDTH)}px"` +
      ` alt="${markdown.utils.escapeHtml(alt.trim())}">`
    );
  }
}
