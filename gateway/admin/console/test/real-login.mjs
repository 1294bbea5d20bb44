// Logs in to the console of a real node by an OpenID Connect provider.
// Usage: real-login.mjs ADMIN_URL ISSUER
import assert from "node:assert/strict";
import { launchChromium, openPage, takePicture } from "./browser.mjs";
import { startIssuer } from "./issuer.mjs";

const TOKEN = "sluice-admin-token";
const [url, issuer] = process.argv.slice(2);
const home = `${url}/console/`;
// The provider's notices about its configuration for tests.
const print = console.log;
console.info = console.warn = console.log = console.error;

const provider = await startIssuer(issuer, home);
const browser = await launchChromium();
try {
  await awaitDiscovery();
  await refuseForgedCallback();
  await logInAndOut();
} finally {
  await browser.close();
  provider.close();
}

async function awaitDiscovery() {
  for (;;) {
    const { oidc } = await (await fetch(`${url}/login`)).json();
    if (oidc["token-endpoint"]) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Another site sends the browser to the callback with its own code. */
async function refuseForgedCallback() {
  const { page, problems, close } = await openPage(browser, `${home}callback?code=a&state=b`);
  await page.getByText("This tab has not started a login.").waitFor();
  assert.equal(page.url(), home);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assert.deepEqual(problems, []);
  await close();
  print("FORGED CALLBACK IS REFUSED");
}

async function logInAndOut() {
  const { page, problems, close } = await openPage(browser, `${home}#/operations`);
  await page.clock.install();
  await page.reload();
  const continued = page.getByRole("button", { name: `Continue with ${new URL(issuer).host}` });
  await continued.click();
  await page.getByLabel("Name").waitFor();
  await page.goto(`${home}callback?code=a&state=wrong`);
  await page.getByText("The login failed: unexpected").waitFor();
  assert.equal(page.url(), `${home}#/operations`);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  print("OTHER STATE IS REFUSED");

  await continued.click();
  await signIn(page, "mallory");
  await page.getByText("mallory is not an operator").waitFor();
  await takePicture(page, "real-login-refused");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  print("USER WITHOUT ROLE IS REFUSED");

  await page.getByRole("button", { name: "Continue as another user" }).click();
  await signIn(page, "alice");
  await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
  assert.equal(page.url(), `${home}#/operations`);
  assert.equal(await page.evaluate(() => document.cookie), "");
  print("OPERATOR IS LOGGED IN");

  const first = await token(page);
  await page.clock.fastForward("59:30");
  await page.waitForFunction(
    ([key, old]) => ![null, old].includes(sessionStorage.getItem(key)),
    [TOKEN, first],
  );
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  print("TOKEN IS RENEWED");

  const revocation = page.waitForRequest((request) => request.url().endsWith("/revocation"));
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByRole("button", { name: "Continue with" }).waitFor();
  assert.equal(page.url(), home);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assert.match((await revocation).postData() ?? "", /\btoken=/);
  const failures = problems.filter((problem) => !problem.startsWith(`request to ${issuer}/`));
  assert.deepEqual(failures, []);
  await close();
  print("OPERATOR IS LOGGED OUT");
}

async function signIn(page, name) {
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
}

function token(page) {
  return page.evaluate((key) => sessionStorage.getItem(key), TOKEN);
}
