// Runs demo-page.mjs against the fixture, which is restarted in between: npm run rehearse
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startFixture } from "./fixture.mjs";

let fixture = await startFixture();
const { url, port } = fixture;
const script = fileURLToPath(new URL("demo-page.mjs", import.meta.url));
const judge = spawn(process.execPath, [script, url, "target/screenshots"], {
  stdio: ["pipe", "pipe", "inherit"],
});
createInterface({ input: judge.stdout }).on("line", (line) => {
  console.log(line);
  if (line === "READY FOR RESTART") void restart();
});
judge.on("exit", async (status) => {
  await fixture.stop();
  process.exitCode = status ?? 1;
});

async function restart() {
  await fixture.stop();
  fixture = await startFixture(port);
  judge.stdin.write("RESTARTED\n");
}
