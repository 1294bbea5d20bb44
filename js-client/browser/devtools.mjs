// Tests the developer panel in Chromium, against the in-memory node: node devtools.mjs [<folder>].
// With a folder it stores a screenshot of each color scheme there.
//
// Prints PANEL FITS for each color scheme and PANEL RECONNECTS. Exit status 0; 1 with an
// explanation on failure.
import { launchChromium } from "./chromium.mjs";
import { servePackage } from "./package-server.mjs";

const WIDTH = 360;
const MIN_CONTRAST = 4.5;

const [folder] = process.argv.slice(2);
const server = await servePackage();
const browser = await launchChromium();
try {
  for (const colorScheme of ["light", "dark"]) await fits(colorScheme);
  await reconnects();
} catch (error) {
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.stop();
}

async function open(colorScheme) {
  const page = await browser.newPage({ colorScheme, viewport: { width: WIDTH, height: 800 } });
  await page.goto(server.urlOf("browser/devtools.html"));
  // Playwright's locators look into shadow roots.
  await page.locator("#gaps td", { hasText: "overload" }).waitFor();
  await page.locator("#frames td", { hasText: "binary" }).waitFor();
  return page;
}

async function fits(colorScheme) {
  const page = await open(colorScheme);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > WIDTH) throw new Error(`the page is ${width} pixels wide, at most ${WIDTH}`);
  const contrast = await page.evaluate(lowestContrast);
  if (contrast < MIN_CONTRAST) throw new Error(`${colorScheme}: the contrast is ${contrast}`);
  if (folder) await page.screenshot({ path: `${folder}/devtools-${colorScheme}.png` });
  console.log(`PANEL FITS ${colorScheme}`);
  await page.close();
}

/** Returns the lowest contrast of text and background; runs in the page. */
function lowestContrast() {
  const luminance = (color) => {
    const linear = color
      .match(/\d+/g)
      .slice(0, 3)
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const { shadowRoot } = document.querySelector("sluice-devtools");
  const section = shadowRoot.querySelector("section");
  const back = luminance(window.getComputedStyle(section).backgroundColor);
  const contrasts = [...section.querySelectorAll("h2, p, button, th, td, caption")].map((each) => {
    const text = luminance(window.getComputedStyle(each).color);
    return (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
  });
  return Math.min(...contrasts);
}

/** Uses the keyboard only. */
async function reconnects() {
  const page = await open("light");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.client.state.status === "connecting");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.client.state.status === "open");
  await page.locator("#status", { hasText: /^open$/ }).waitFor();
  console.log("PANEL RECONNECTS");
}
