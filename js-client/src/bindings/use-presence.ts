"use client";

import { useEffect, useMemo, useState } from "react";
import {
  EMPTY_PRESENCE,
  PresenceWindow,
  type PresenceView,
  type PresenceViewOptions,
} from "./presence-view.js";
import { useClient } from "./react-provider.js";

const NO_OPTIONS: PresenceViewOptions = {};

/**
 * Enters a topic, or watches it, while the component is mounted, and returns its members. Another
 * `info` is sent without leaving.
 *
 * @param topic - Undefined for no topic.
 */
export function usePresence(
  topic: string | undefined,
  options: PresenceViewOptions = NO_OPTIONS,
): PresenceView {
  const client = useClient();
  const [view, setView] = useState(EMPTY_PRESENCE);
  const window = useMemo(() => new PresenceWindow(client, setView), [client]);
  // Each render may create another object; only its values count.
  const values = JSON.stringify(options);
  useEffect(() => {
    window.update(topic, options);
    setView(window.view);
  }, [window, topic, values]);
  useEffect(
    () => () => {
      window.close();
    },
    [window],
  );
  return view;
}
