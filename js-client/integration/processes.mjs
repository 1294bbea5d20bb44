// Broker and node, each started as a separate process with the operator's commands.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SLUICE = fileURLToPath(new URL("../../gateway/bin/sluice", import.meta.url));
const READY_MS = 120_000;
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** Processes that run at the same time begin at different ports. */
let nextPort = (process.pid * 101) % PORTS;

/** Process that can be killed and restarted with the same arguments. */
class Restartable {
  #arguments;
  #process;

  constructor(...commandLine) {
    this.#arguments = commandLine;
  }

  async start() {
    const started = spawn(SLUICE, this.#arguments, { stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    started.stderr.on("data", (data) => (log = (log + data).slice(-8_000)));
    this.#process = started;
    try {
      await until(`${this.#arguments[0]} is ready`, () => {
        if (started.exitCode !== null) throw new Error("it has ended");
        return this.isReady();
      });
    } catch (error) {
      await this.stop("SIGKILL");
      throw new Error(`${error.message}; its log ends with\n${log}`, { cause: error });
    }
  }

  /** Ends the process; `SIGTERM` permits a graceful shutdown, `SIGKILL` doesn't. */
  async stop(signal = "SIGTERM") {
    const ended = this.#process;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = once(ended, "exit");
    ended.kill(signal);
    await exit;
  }

  signal(name) {
    this.#process.kill(name);
  }
}

/** Embedded broker. */
export class Broker extends Restartable {
  static async start() {
    const port = await freePort();
    const broker = new Broker("broker", "--port", String(port));
    broker.port = port;
    await broker.start();
    return broker;
  }

  get url() {
    return `tcp://127.0.0.1:${this.port}`;
  }

  isReady() {
    return listens(this.port);
  }
}

/** Gateway node; it permits everything unless a setting restricts it. */
export class Gateway extends Restartable {
  static async start(broker, settings = {}) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const folder = await mkdtemp(join(tmpdir(), "sluice-"));
    const file = join(folder, "sluice.yaml");
    const all = {
      "server.port": port,
      "admin.port": adminPort,
      "broker.url": broker.url,
      "server.allowed-origins": "['*']",
      "publish.topics": "['>']",
    };
    const lines = Object.entries({ ...all, ...settings });
    await writeFile(file, lines.map(([key, value]) => `${key}: ${value}\n`).join(""));
    const asks = Object.keys(settings).some((key) => key.startsWith("auth."));
    const gateway = new Gateway("run", ...(asks ? [] : ["--anonymous"]), "--config", file);
    Object.assign(gateway, { port, adminPort, folder });
    await gateway.start();
    return gateway;
  }

  get url() {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  async isReady() {
    const answer = await fetch(`http://127.0.0.1:${this.adminPort}/health/ready`).catch(() => null);
    return answer?.ok === true;
  }

  /** Returns the value of one metric sample, 0 if there is none. */
  async metric(sample) {
    const answer = await fetch(`http://127.0.0.1:${this.adminPort}/metrics`);
    const line = (await answer.text()).split("\n").find((line) => line.startsWith(`${sample} `));
    return line === undefined ? 0 : Number(line.slice(sample.length + 1));
  }

  async close() {
    await this.stop("SIGKILL");
    await rm(this.folder, { recursive: true });
  }
}

/** Waits until a condition holds; fails after two minutes with its description. */
export async function until(what, holds) {
  const deadline = Date.now() + READY_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Returns a port that can be bound. It is below the ephemeral range: a connection of another process
 * can't take it before the server that gets it has started.
 */
async function freePort() {
  for (;;) {
    const port = FIRST_PORT + (nextPort++ % PORTS);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function listens(port) {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
