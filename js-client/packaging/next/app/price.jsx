"use client";

import { usePublish, useTopic } from "@sluice/client/react";
import { useEffect } from "react";

export function Price({ topic }) {
  const { payload } = useTopic(topic);
  const publish = usePublish();
  useEffect(() => {
    if (payload === undefined) return;
    publish("bundlers.echo", "hello").then(
      () => (document.documentElement.dataset.result = "PASSED"),
      (error) => (document.documentElement.dataset.result = error.message),
    );
  }, [payload, publish]);
  return <b>{String(payload ?? "…")}</b>;
}
