/**
 * In-memory broker and nodes for tests of applications: `@sluice/client/testing`.
 *
 * @module
 */

export { createTestBroker } from "./testing/broker-core.js";
export type { TestMessage, TestPublishOptions } from "./testing/stored-message.js";
export { createTestClock, type TestClock } from "./testing/test-clock.js";
export type {
  Responder,
  TestBroker,
  TestBrokerOptions,
  TestConnection,
  TestConnectOptions,
  TestNode,
  TestQueue,
} from "./testing/types.js";
