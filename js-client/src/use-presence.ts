"use client";

import { useEffect, useRef, useState } from "react";
import { SluiceError } from "./errors.js";
import type { Presence, PresenceOptions, PresenceState } from "./presence-types.js";
import { useClient } from "./react-provider.js";

/** Result of {@link usePresence}. */
export interface PresenceView extends PresenceState {
  /** Id of the client's member; undefined before the first answer, or if it only watches. */
  readonly self: string | undefined;
  /** Error with which the node has refused the request. */
  readonly error: SluiceError | undefined;
}

/** Options of {@link usePresence}: those of `presence` that a component can provide. */
export type UsePresenceOptions = Omit<PresenceOptions, "signal">;

const EMPTY: PresenceView = {
  count: 0,
  members: undefined,
  partial: false,
  live: false,
  self: undefined,
  error: undefined,
};
const NO_OPTIONS: UsePresenceOptions = {};

/**
 * Enters a topic, or watches it, while the component is mounted, and returns its members. Another
 * `info` is sent without leaving.
 *
 * @param topic - Undefined for no topic.
 */
export function usePresence(
  topic: string | undefined,
  options: UsePresenceOptions = NO_OPTIONS,
): PresenceView {
  const client = useClient();
  const [view, setView] = useState(EMPTY);
  const { enter = true, members = true } = options;
  // Each render may create another object; only its value counts.
  const info = JSON.stringify(options.info);
  const current = useRef<{ info: string | undefined; presence?: Presence }>({ info });
  useEffect(() => {
    const shown = current.current;
    if (shown.info === info) return;
    shown.info = info;
    shown.presence?.update(parse(info));
  }, [info]);
  useEffect(() => {
    if (topic === undefined) return undefined;
    const { current: shown } = current;
    const leaving = new AbortController();
    const { signal } = leaving;
    const show = ({ count, members: list, partial, live, self }: Presence): void => {
      if (!signal.aborted) setView({ count, members: list, partial, live, self, error: undefined });
    };
    const sentInfo = shown.info;
    client.presence(topic, { enter, members, info: parse(sentInfo), signal }).then(
      (presence) => {
        if (signal.aborted) return;
        shown.presence = presence;
        presence.onChange(show);
        show(presence);
        if (shown.info !== sentInfo) presence.update(parse(shown.info));
      },
      (error: unknown) => {
        if (!signal.aborted && error instanceof SluiceError) setView({ ...EMPTY, error });
      },
    );
    return () => {
      leaving.abort();
      delete shown.presence;
      setView(EMPTY);
    };
  }, [client, topic, enter, members]);
  return view;
}

function parse(info: string | undefined): unknown {
  return info === undefined ? undefined : JSON.parse(info);
}
