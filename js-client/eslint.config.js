import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

/** With SLUICE_FULL=true also tests are checked by rules that need types, which take a minute. */
const IS_FULL = process.env.SLUICE_FULL === "true";

export default tseslint.config(
  { ignores: ["dist", "**/target", "packaging/angular", "**/*.cjs"] },
  { linterOptions: { reportUnusedDisableDirectives: IS_FULL ? "warn" : "off" } },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
  },
  {
    files: [IS_FULL ? "**/*.ts" : "src/**/*.ts"],
    // The only source that is compiled by its bundler.
    ignores: IS_FULL ? [] : ["src/global.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: [IS_FULL ? "./tsconfig.test.json" : "./tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // The promises of node:test need not be awaited.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", name: ["test", "describe"], package: "node:test" },
          ],
        },
      ],
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        "Buffer clearInterval clearTimeout console crypto document fetch FormData location performance process requestAnimationFrame setInterval setTimeout TextEncoder URL URLSearchParams queueMicrotask ResizeObserver SharedWorker TextDecoder AbortController window"
          .split(" ")
          .map((name) => [name, "readonly"]),
      ),
    },
  },
);
