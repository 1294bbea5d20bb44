import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SluiceError } from "../src/index.js";
import { toJmsException } from "../src/jms/error-codes.js";
import { JMSException, JMSRuntimeException } from "../src/jms.js";

/** Exception of each code; all others are a JMSException. */
const EXCEPTIONS = {
  "invalid-topic": "InvalidDestinationException",
  "topic-too-long": "InvalidDestinationException",
  "topic-too-deep": "InvalidDestinationException",
  "unknown-topic": "InvalidDestinationException",
  "unknown-queue": "InvalidDestinationException",
  "unknown-subscription": "InvalidDestinationException",
  "no-recipient": "InvalidDestinationException",
  "invalid-selector": "InvalidSelectorException",
  unauthorized: "JMSSecurityException",
  forbidden: "JMSSecurityException",
  "no-token": "JMSSecurityException",
  closed: "JMSIllegalStateException",
  "subscription-exists": "JMSIllegalStateException",
  "subscription-in-use": "JMSIllegalStateException",
  "transaction-failed": "TransactionRolledBackException",
  "too-many-subscriptions": "ResourceAllocationException",
  "too-many-topics": "ResourceAllocationException",
  "too-many-consumers": "ResourceAllocationException",
  "too-many-requests": "ResourceAllocationException",
  "rate-limited": "ResourceAllocationException",
  "publish-queue-full": "ResourceAllocationException",
  "buffer-full": "ResourceAllocationException",
  "bad-payload": "MessageFormatException",
  "too-large": "MessageFormatException",
  "connection-lost": "JMSException",
  timeout: "JMSException",
  unsupported: "JMSException",
  "from-a-newer-node": "JMSException",
};

describe("exceptions of JMS", () => {
  for (const [code, name] of Object.entries(EXCEPTIONS)) {
    test(`shouldMap ${code} to ${name}`, () => {
      const error = new SluiceError(code, "text");
      const exception = toJmsException(error);
      assert.ok(exception instanceof JMSException);
      assert.equal(exception.name, name);
      assert.equal(exception.constructor.name, name);
      assert.equal(exception.getErrorCode(), code);
      assert.equal(exception.message, "text");
      assert.equal(exception.cause, error);
    });
  }

  test("shouldMapAClosedClientByItsCause", () => {
    const cause = new SluiceError("unauthorized", "revoked");
    const exception = toJmsException(new SluiceError("closed", "text", undefined, cause));
    assert.equal(exception.name, "JMSSecurityException");
    assert.equal(exception.errorCode, "closed");
  });

  test("shouldMapOtherErrors", () => {
    const cause = new TypeError("bug");
    const exception = toJmsException(cause);
    assert.deepEqual([exception.errorCode, exception.message], ["jms", "bug"]);
    assert.equal(exception.cause, cause);
    assert.equal(toJmsException("text").message, "text");
    const same = new JMSRuntimeException("same");
    assert.equal(toJmsException(same), same);
  });
});
