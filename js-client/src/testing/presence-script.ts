import { checkTopicOrPattern } from "../engine/arguments.js";
import { PresenceBook } from "./presence-topic.js";
import type { SessionBroker } from "./session-host.js";
import type { TestMember, TestPresence } from "./types.js";

/** Returns the controls of the presence of a topic. */
export function presenceScript(broker: SessionBroker, topic: string): TestPresence {
  checkTopicOrPattern(topic);
  const presence = broker.extension(PresenceBook).topic(topic);
  return {
    get members() {
      return presence.members;
    },
    get partial() {
      return presence.partial;
    },
    set partial(partial) {
      presence.partial = partial;
    },
    join: (info, subject): TestMember => {
      const id = presence.idOf("", undefined);
      const update = (changed: unknown): void => {
        presence.enter({ id, subject, info: changed }, id);
      };
      update(info);
      return {
        id,
        update,
        leave: () => {
          presence.exit(id, id, true);
        },
      };
    },
  };
}
