/** Crashes the process of a page; the page cannot be used afterwards. */
export async function crash(page) {
  const crashed = page.waitForEvent("crash");
  // The navigation never completes.
  page.goto("chrome://crash").catch(() => undefined);
  await crashed;
}
