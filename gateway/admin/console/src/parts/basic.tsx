import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.js";
import type { Merged } from "../model.js";
import type { Query } from "../query.js";

/** Heading of a view, with actions at its end. */
export function Title(props: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="d-flex flex-wrap align-items-center gap-2 mb-3">
      <h1 class="h3 m-0 me-auto" tabIndex={-1}>
        {props.text}
      </h1>
      {props.children}
    </div>
  );
}

/** Section with a heading. */
export function Section(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="mb-4" aria-label={props.title}>
      <h2 class="h5">{props.title}</h2>
      {props.children}
    </section>
  );
}

/** Figure with a label. */
export function Figure(props: { readonly label: string; readonly value: string }) {
  return (
    <div class="col">
      <dl class="card h-100 m-0 px-3 py-2">
        <dt class="small fw-normal text-body-secondary">{props.label}</dt>
        <dd class="card-figure m-0">{props.value}</dd>
      </dl>
    </div>
  );
}

/** List of names and values; entries without a value are omitted. */
export function Properties(props: {
  readonly of: readonly (readonly [string, ComponentChildren])[];
}) {
  const shown = props.of.filter(([, value]) => value !== undefined && value !== "");
  return (
    <dl class="properties">
      {shown.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}=`}>{value}</dd>,
      ])}
    </dl>
  );
}

type Tone = "success" | "warning" | "danger" | "secondary";

export function Badge(props: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge text-bg-${props.tone}`}>{props.children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  active: "success",
  "broker-lost": "danger",
  down: "danger",
  draining: "warning",
  error: "danger",
  lost: "danger",
  missing: "danger",
  ok: "success",
  opening: "warning",
  problem: "danger",
  suspected: "warning",
  timeout: "danger",
  up: "success",
};

/** Badge of a state; its color repeats the word. */
export function State(props: { readonly of: string }) {
  return <Badge tone={TONES[props.of] ?? "secondary"}>{props.of.replace("-", " ")}</Badge>;
}

export function Problem(props: { readonly children: ComponentChildren }) {
  return (
    <div class="alert alert-danger py-2" role="alert">
      {props.children}
    </div>
  );
}

function errorText(error: ApiError, feature: string): string {
  return error.isMissing ? `This node does not offer ${feature}.` : error.message;
}

/** Content of a query, or the reason why there is none. */
export function Loaded<T>(props: {
  readonly query: Query<T>;
  readonly feature: string;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error } = props.query;
  if (error?.isMissing) {
    return <p class="text-body-secondary">{errorText(error, props.feature)}</p>;
  }
  return (
    <>
      {error && <Problem>{errorText(error, props.feature)}</Problem>}
      {data !== undefined && props.children(data)}
      {data === undefined && !error && (
        <p class="text-body-secondary placeholder-glow">Loading …</p>
      )}
    </>
  );
}

/** Nodes whose response is missing in a merged result. */
export function Missing(props: { readonly of: Merged }) {
  const missing = props.of.nodes?.filter(({ status }) => status !== "ok") ?? [];
  if (missing.length === 0) return null;
  return (
    <div class="alert alert-warning py-2" role="status">
      The result is partial:{" "}
      {missing.map(({ node, error, status }) => `${node}: ${error ?? status}`).join("; ")}.
    </div>
  );
}
