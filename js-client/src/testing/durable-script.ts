import { checkOneOf, checkTopicOrPattern } from "../engine/arguments.js";
import type { Undo } from "../engine/emitter.js";
import { SluiceError } from "../engine/errors.js";
import type { SessionBroker } from "./session-host.js";
import type { TestMessage } from "./stored-message.js";
import { keyOf, TopicQueues } from "./topic-queues.js";
import type { Overflow, TestDurable } from "./types.js";

/** Returns the controls of a durable subscription. */
export function durableScript(
  broker: SessionBroker,
  topic: string,
  name: string,
  owner = "",
): TestDurable {
  checkTopicOrPattern(topic);
  const subscriptions = broker.extension(TopicQueues);
  const source = { topic, durable: name };
  const key = keyOf(owner, source);
  return {
    topic,
    name,
    get exists() {
      return subscriptions.find(owner, source) !== undefined;
    },
    get messages(): readonly TestMessage[] {
      const ready = subscriptions.find(owner, source)?.queue.ready ?? [];
      return ready.map(({ message }) => message);
    },
    takeBack: () => {
      subscriptions.find(owner, source)?.queue.takeBack("timeout");
    },
    expire: () => {
      const found = subscriptions.find(owner, source);
      if (!found) return;
      if (found.queue.consumers > 0) {
        throw new SluiceError("subscription-in-use", `${name} of ${topic} has consumers`);
      }
      subscriptions.delete(owner, source);
    },
    overflow: (policy: Overflow): Undo => {
      checkOneOf("policy", ["drop", "refuse"], policy);
      subscriptions.overflows.set(key, policy);
      return () => {
        subscriptions.overflows.delete(key);
      };
    },
  };
}
