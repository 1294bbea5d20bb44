// Commands of operators: confirmed, sent once, and answered in the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./browser.mjs";
import { startFixture } from "./fixture.mjs";
import { browser } from "./shared-browser.mjs";

async function withFixture(place, use) {
  const fixture = await startFixture();
  const { page, problems, close } = await openPage(browser, `${fixture.url}/console/#/${place}`);
  try {
    await use(page, fixture);
    assert.deepEqual(problems, []);
  } finally {
    await close();
    fixture.close();
  }
}

async function confirm(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

test("should drain with progress, and undrain", () =>
  withFixture("operations", async (page, fixture) => {
    await confirm(page, "Drain gw-1");
    await page.getByText("gw-1 drains: 3,400 clients still to move").waitFor();
    await page.getByRole("progressbar", { name: /gw-1 drains/ }).waitFor();
    await confirm(page, "Undrain gw-1");
    await page.getByText("gw-1 accepts clients again.").waitFor();
    assert.deepEqual(fixture.commands, [
      { method: "POST", path: "/drain", body: { node: "gw-1" } },
      { method: "POST", path: "/undrain", body: { node: "gw-1" } },
    ]);
  }));

test("should rebalance, reload and remove a revocation", () =>
  withFixture("operations", async (page, fixture) => {
    await confirm(page, "Rebalance gw-1");
    await page.getByText("Clients that move to other nodes: 12.").waitFor();
    await confirm(page, "Reload");
    await page.getByText("Applied: limits.").waitFor();
    await confirm(page, "Restore");
    await page.getByText("Nothing is revoked.").waitFor();
    assert.equal(fixture.commands.at(-1).method, "DELETE");
  }));

test("should send no command that is not confirmed", () =>
  withFixture("operations", async (page, fixture) => {
    await page.getByRole("button", { name: "Drain gw-1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual(fixture.commands, []);
  }));

test("should disconnect, revoke, redirect and trace a client", () =>
  withFixture("clients/gw-1-1763700000-3", async (page, fixture) => {
    await page.getByRole("button", { name: "Trace" }).click();
    await page.getByRole("cell", { name: "subscribed" }).waitFor();
    await confirm(page, "Redirect");
    await page.getByText("The client is moved to another node.").waitFor();
    await confirm(page, "Revoke token");
    await page.getByText("The credential is revoked; sessions closed: 2.").waitFor();
    await confirm(page, "Disconnect");
    await page.getByText("The session has ended.").waitFor();
    const sent = fixture.commands.map(({ path }) => path);
    const client = "/clients/gw-1-1763700000-3";
    assert.deepEqual(sent, [
      `${client}/trace`,
      `${client}/redirect`,
      "/revocations",
      `${client}/disconnect`,
    ]);
    assert.equal(fixture.commands[2].body.token, "8f14e45f-3");
  }));

test("should search audit records and the configuration", () =>
  withFixture("operations", async (page) => {
    await page.getByText("what: drain  value: gw-1").waitFor();
    await page.getByLabel("Search the audit records").fill("revoked");
    await page.getByText("what: drain  value: gw-1").waitFor({ state: "detached" });
    await page.getByText("Effective configuration", { exact: true }).first().click();
    await page.getByLabel("Search the configuration").fill("sluice.yaml");
    const table = page.getByRole("table", { name: "Effective configuration" });
    await table.getByText("changed in the file").waitFor();
    assert.equal(await table.locator("tbody tr").count(), 2);
  }));

test("should show why the node has ended live messages", () =>
  withFixture("topics/prices.ended", async (page) => {
    await page.getByRole("button", { name: "Show live messages" }).click();
    await page.getByText("The node has ended the live messages: the token has expired.").waitFor();
    await page.getByText("prices.ended #3").waitFor();
    await page.getByRole("button", { name: "Show live messages" }).waitFor();
  }));

test("should show live messages until they are stopped", () =>
  withFixture("topics/prices.eu.7", async (page) => {
    await page.getByRole("button", { name: "Show live messages" }).click();
    await page.getByText("prices.eu.7 #3  after 2 skipped  text of 12 B").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Show live messages" }).waitFor();
  }));
