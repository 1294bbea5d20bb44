/** Ends the process of a page as a fault in the browser would; the page is of no use any more. */
export async function crash(page) {
  const crashed = page.waitForEvent("crash");
  // It never arrives there.
  page.goto("chrome://crash").catch(() => undefined);
  await crashed;
}
