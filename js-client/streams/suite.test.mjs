// The suite, for vitest; conformance.mjs runs it.
import { runConformanceTests } from "@durable-streams/server-conformance-tests";

runConformanceTests({ baseUrl: process.env.STREAMS_URL, longPollTimeoutMs: 20_000 });
