import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { diagrams, renderDiagrams } from "./diagrams.mjs";
import { repositoryLinks, SERVED } from "./links.mjs";
import { ADDRESSES, DOCS, ELSEWHERE, REWRITES, SIDEBAR } from "./pages.mjs";
import { slug } from "./slug.mjs";

/** Path of the site on its host, with slashes around it. */
const BASE = process.env.SLUICE_DOCS_BASE ?? "/";

/** Address of the repository's files, with a slash at its end; unset: no links to files. */
const SOURCES = process.env.SLUICE_DOCS_SOURCES;

export default async () => {
  await renderDiagrams();
  return defineConfig({
    title: "Sluice",
    description: "WebSocket gateway for JMS brokers",
    lang: "en",
    base: BASE,
    cleanUrls: true,
    outDir: "target/site",
    cacheDir: "node_modules/.cache/vitepress",
    srcExclude: ["target/**", "prose/**", ...ELSEWHERE],
    rewrites: REWRITES,
    metaChunk: true,
    router: { prefetchLinks: false },
    // Small pictures are files as well, which a Content-Security-Policy can allow.
    vite: { build: { assetsInlineLimit: 0 } },
    transformPageData(page) {
      if (!ADDRESSES.has(page.filePath)) {
        throw new Error(`docs/${page.filePath} is missing in docs/.vitepress/pages.mjs`);
      }
      // Below each type are the same headings.
      if (page.filePath.startsWith("reference/sdk/")) page.frontmatter.outline = 2;
    },
    buildEnd(site) {
      for (const path of SERVED) {
        cpSync(join(DOCS, path), join(site.outDir, path), { recursive: true });
      }
    },
    markdown: {
      anchor: { slugify: slug },
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
      config(markdown) {
        markdown.use(repositoryLinks, SOURCES);
        markdown.use(diagrams);
      },
    },
    themeConfig: {
      nav: SIDEBAR.map(({ text, items }) => ({
        text,
        link: items[0].link,
        activeMatch: `^/${items[0].link.split("/")[1]}/`,
      })),
      sidebar: SIDEBAR,
      outline: { level: [2, 3] },
      search: {
        provider: "local",
        options: { translations: { button: { buttonAriaLabel: "Search" } } },
      },
      externalLinkIcon: false,
    },
  });
};
