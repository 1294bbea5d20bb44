/**
 * In-memory broker and nodes for tests of applications: `@sluice/client/testing`.
 *
 * @module
 */

export { createTestBroker } from "./testing/broker-core.js";
export type { TestMessage, TestPublishOptions } from "./testing/stored-message.js";
export { createTestClock, type TestClock } from "./testing/test-clock.js";
export type {
  Overflow,
  Responder,
  TestBroker,
  TestBrokerOptions,
  TestConnection,
  TestConnectOptions,
  TestDurable,
  TestMember,
  TestNode,
  TestPresence,
  TestQueue,
  TestUse,
  TransactionFault,
} from "./testing/types.js";
