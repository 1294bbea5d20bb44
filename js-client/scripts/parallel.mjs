// Runs scripts of package.json in parallel; prints the output of each when it ends. Fails if one
// fails. Checks of sources have a low priority: unlike tests, they have no time limits.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

for (const script of process.argv.slice(2)) {
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  if (script.startsWith("check")) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => chunks.push(chunk));
  }
  child.on("close", (code) => {
    process.stdout.write(Buffer.concat(chunks));
    if (code !== 0) {
      console.error(`npm run ${script} failed`);
      process.exitCode = 1;
    }
  });
}
