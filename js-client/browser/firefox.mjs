// Starts Firefox: that of the environment variable FIREFOX, otherwise the one on the PATH.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// All traffic except that of this machine goes to a port where nothing listens.
const PREFERENCES = {
  "app.normandy.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.websocket.delay-failed-reconnects": false,
  "toolkit.telemetry.enabled": false,
};

/** Opens a page without a window; returns a function that ends the browser. */
export async function launchFirefox(address) {
  const profile = await mkdtemp(join(tmpdir(), "firefox-"));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const program = process.env.FIREFOX || "firefox";
  const options = ["--headless", "--no-remote", "--profile", profile, address];
  const environment = { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" };
  const browser = spawn(program, options, { env: environment, stdio: "ignore" });
  const ended = new Promise((resolve) => browser.on("exit", resolve));
  await new Promise((resolve, reject) => browser.on("spawn", resolve).on("error", reject));
  return async () => {
    browser.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}
