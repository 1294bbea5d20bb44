// Writes the TypeScript examples of pages to target/snippets as modules, which are compiled with
// the tests: also the scripts of Vue and Svelte components, whose templates are compiled here.
// test/snippets.d.ts declares the names that belong to the reader's application.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compile } from "svelte/compiler";
import { compileTemplate, parse } from "vue/compiler-sfc";
import { snippetsOf } from "./page-snippets.mjs";

const PAGES = [
  "README.md",
  ...[
    "sdk",
    "sdk-connection",
    "log-in",
    "troubleshoot-connection",
    "sdk-react",
    "typed-payloads",
    "queues",
    "jms-api",
    "bindings",
    "test-your-app",
    "tracing",
  ].map((name) => `../docs/how-to/${name}.md`),
];
const FOLDER = "target/snippets";
const LANGUAGES = ["ts", "tsx", "vue", "svelte"];
const SCRIPT = /<script[^>]*>\n([\s\S]*?)<\/script>/;
const SCRIPT_OF = {
  vue: scriptOfVue,
  svelte: scriptOfSvelte,
};

mkdirSync(FOLDER, { recursive: true });
for (const page of PAGES) {
  for (const { language, code, line } of snippetsOf(page, LANGUAGES)) {
    const scriptOf = SCRIPT_OF[language];
    const extension = scriptOf ? "ts" : language;
    const file = `${basename(page, ".md").toLowerCase()}-${line}.${extension}`;
    writeFileSync(join(FOLDER, file), toModule(scriptOf ? scriptOf(code, file) : code));
  }
}

/** Exports all declarations, because the compiler rejects those that are not used. */
function toModule(code) {
  return `${code.replace(/^(?=(?:const|(?:async )?function) )/gm, "export ")}export {};\n`;
}

/** Returns the script of a Vue component; fails if its template is invalid. */
function scriptOfVue(source, filename) {
  const { descriptor, errors } = parse(source, { filename });
  const template = { source: descriptor.template.content, filename, id: filename };
  const [error] = [...errors, ...compileTemplate(template).errors];
  if (error) throw new Error(`${filename}: ${error.message ?? error}`);
  return descriptor.scriptSetup.content;
}

/** Returns the script of a Svelte component; fails if the component is invalid. */
function scriptOfSvelte(source, filename) {
  compile(source, { filename, generate: false });
  return SCRIPT.exec(source)[1];
}
