import assert from "node:assert/strict";
import { test } from "node:test";
import { version } from "react";
import { version as domVersion } from "react-dom";

// The tests of the hooks run twice, see scripts/react-18.mjs.
const expected = import.meta.url.includes("/target/react-18/") ? "18.0.0" : "19.";

test(`shouldUseReactVersion ${expected}`, () => {
  assert.ok(version.startsWith(expected), version);
  assert.ok(domVersion.startsWith(expected), domVersion);
});
