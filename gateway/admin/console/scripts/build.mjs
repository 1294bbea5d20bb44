// Bundles the console into target/web: index.html, and assets named by a hash of their content.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(FOLDER, "target", "web");
/** Copies of earlier builds, whose names differ. */
const COPIED = join(FOLDER, "target", "classes", "META-INF");
const ASSETS = join(TARGET, "assets");
const PACKAGES = ["bootstrap", "oauth4webapi", "preact", "uplot"];
const MAX_TRANSFER = 90 * 1024;
/** Images in the style sheet; the content security policy allows only files. */
const IMAGE = /url\((["']?)data:image\/svg\+xml,(.*?)\1\)/g;

await rm(TARGET, { recursive: true, force: true });
await rm(COPIED, { recursive: true, force: true });
await mkdir(ASSETS, { recursive: true });
const script = await bundle("src/main.tsx", "js");
const style = await bundle("src/style.css", "css");
const icon = await writeAsset(await readFile(join(FOLDER, "src", "icon.svg"), "utf8"), "svg");
await write(join(TARGET, "index.html"), page(icon.name, script.name, style.name));
await writeFile(join(TARGET, "licenses.txt"), await licenses());
const transfer = script.transfer + style.transfer;
if (transfer > MAX_TRANSFER) {
  throw new Error(`console: ${transfer} B compressed exceed ${MAX_TRANSFER} B`);
}
console.log(`console: ${transfer} B compressed, script ${script.transfer} B`);

/** Licenses of the packages that the bundle contains. */
async function licenses() {
  const texts = PACKAGES.map(async (name) => {
    const folder = join(FOLDER, "node_modules", name);
    const file = (await readdir(folder)).find((each) => each.startsWith("LICENSE"));
    const text = await readFile(join(folder, file), "utf8");
    return `${name}\n\n${text}`;
  });
  return (await Promise.all(texts)).join("\n");
}

async function bundle(entry, kind) {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
    bundle: true,
    define: { "process.env.NODE_ENV": '"production"' },
    entryPoints: [entry],
    external: ["data:*"],
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    minify: true,
    target: "es2022",
    write: false,
  });
  const text = kind === "css" ? await withFiles(outputFiles[0].text) : outputFiles[0].text;
  return writeAsset(text, kind);
}

async function withFiles(css) {
  const names = new Map();
  for (const [url, , data] of css.matchAll(IMAGE)) {
    if (names.has(url)) continue;
    const { name } = await writeAsset(decodeURIComponent(data), "svg");
    names.set(url, `url(${basename(name)})`);
  }
  const text = css.replaceAll(IMAGE, (url) => names.get(url));
  if (/data:/.test(text)) throw new Error("console: the style sheet contains a data: address");
  return text;
}

async function writeAsset(text, kind) {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const name = `assets/${hash}.${kind}`;
  const transfer = await write(join(TARGET, name), text);
  return { name, transfer };
}

async function write(path, text) {
  await writeFile(path, text);
  const packed = gzipSync(text, { level: 9 });
  await writeFile(`${path}.gz`, packed);
  return packed.length;
}

function page(icon, script, style) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="referrer" content="no-referrer" />
    <title>Sluice console</title>
    <link rel="icon" href="${icon}" type="image/svg+xml" />
    <link rel="stylesheet" href="${style}" />
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <div id="app"></div>
    <noscript>The console requires JavaScript.</noscript>
  </body>
</html>
`;
}
