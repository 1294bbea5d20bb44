import { useState } from "preact/hooks";
import type { Why, WhyStep } from "../model.js";
import { Loaded, Missing, State, Title } from "../parts/basic.js";
import { useQuery } from "../query.js";
import { href, replace } from "../router.js";
import type { Route } from "../router.js";

const EVERY_MS = 10_000;

const STEPS: Readonly<Record<string, string>> = {
  session: "Session",
  permission: "Permission",
  limits: "Limits",
  interest: "Subscription",
  "broker-consumer": "Consumer at the broker",
  "last-message": "Last message",
  filter: "Filter",
  position: "Position",
  gaps: "Gaps",
};

/** Reason why a client receives no data of a topic. */
export function WhyView(props: { readonly route: Route }) {
  const { query } = props.route;
  const subject = query.get("subject") ?? "";
  const topic = query.get("topic") ?? "";
  const isAsked = query.has("subject") && topic !== "";
  return (
    <>
      <Title text="Why no data?" />
      <Question key={`${subject} ${topic}`} subject={subject} topic={topic} />
      {isAsked && <Answer key={`${subject}  ${topic}`} subject={subject} topic={topic} />}
    </>
  );
}

function Question(props: { readonly subject: string; readonly topic: string }) {
  const [subject, setSubject] = useState(props.subject);
  const [topic, setTopic] = useState(props.topic);
  return (
    <form
      class="row g-3 align-items-end mb-4"
      onSubmit={(event) => {
        event.preventDefault();
        const parameters = new URLSearchParams({ subject: subject.trim(), topic: topic.trim() });
        replace(`${href(["why"])}?${parameters.toString()}`);
      }}
    >
      <div class="col-12 col-sm">
        <label class="form-label" for="why-subject">
          Subject
        </label>
        <input
          id="why-subject"
          class="form-control"
          value={subject}
          placeholder="empty for anonymous clients"
          onInput={(event) => {
            setSubject(event.currentTarget.value);
          }}
        />
      </div>
      <div class="col-12 col-sm">
        <label class="form-label" for="why-topic">
          Topic
        </label>
        <input
          id="why-topic"
          class="form-control"
          required
          value={topic}
          onInput={(event) => {
            setTopic(event.currentTarget.value);
          }}
        />
      </div>
      <div class="col-12 col-sm-auto">
        <button class="btn btn-primary">Check</button>
      </div>
    </form>
  );
}

function Answer(props: { readonly subject: string; readonly topic: string }) {
  const query = new URLSearchParams({ subject: props.subject, topic: props.topic });
  const result = useQuery<Why>(`/why?${query.toString()}`, EVERY_MS);
  return (
    <Loaded query={result} feature="the check of a client's data">
      {(data) => {
        const hasProblem = data.steps.some((step) => step.result === "problem");
        return (
          <>
            <Missing of={data} />
            <div class={`alert ${hasProblem ? "alert-danger" : "alert-success"}`} role="status">
              {data.answer}
            </div>
            <ol class="list-group list-group-numbered">
              {data.steps.map((step) => (
                <Step key={`${step.step} ${step.session} ${step.detail}`} step={step} />
              ))}
            </ol>
          </>
        );
      }}
    </Loaded>
  );
}

function Step(props: { readonly step: WhyStep }) {
  const { step, result, detail, node } = props.step;
  return (
    <li class="list-group-item d-flex gap-2 align-items-start">
      <div class="me-auto">
        <span class="fw-semibold">{STEPS[step] ?? step}</span>
        {node !== "" && <span class="text-body-secondary"> {node}</span>}
        <div>{detail}</div>
      </div>
      <State of={result} />
    </li>
  );
}
