// Chromium of all tests in this process.
import { after } from "node:test";
import { launchChromium } from "./browser.mjs";

export const browser = await launchChromium();
after(() => browser.close());
