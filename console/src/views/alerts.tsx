import { age } from "../format.js";
import type { Alert, Alerts } from "../model.js";
import { Loaded, Section, State } from "../parts/basic.js";
import { useQuery } from "../query.js";

const EVERY_MS = 15_000;

/** Firing alerts of Prometheus, or the reason why there are none to show. */
export function AlertsSection() {
  const query = useQuery<Alerts>("/alerts", EVERY_MS);
  return (
    <Section title="Firing alerts">
      <Loaded query={query} feature="firing alerts">
        {(data) => <AlertList of={data} />}
      </Loaded>
    </Section>
  );
}

function AlertList(props: { readonly of: Alerts }) {
  const { configured, alerts, total, unknown } = props.of;
  if (!configured) {
    return (
      <p class="text-body-secondary">
        Set <code>admin.alerts-url</code> to the URL of a Prometheus to show its firing alerts.
      </p>
    );
  }
  if (unknown !== undefined) {
    return <p class="alert alert-warning py-2">Alerts unknown: {unknown}</p>;
  }
  if (alerts.length === 0) return <p class="text-body-secondary">No alert is firing.</p>;
  return (
    <>
      <ul class="list-group">
        {alerts.map((alert) => (
          <AlertItem key={`${alert.name} ${JSON.stringify(alert.labels)}`} of={alert} />
        ))}
      </ul>
      {total > alerts.length && <p class="mt-2">{total - alerts.length} more are firing.</p>}
    </>
  );
}

function AlertItem(props: { readonly of: Alert }) {
  const { name, severity, since, summary, description, labels } = props.of;
  const places = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return (
    <li class="list-group-item">
      <div class="d-flex flex-wrap align-items-center gap-2">
        <span class="fw-semibold">{name}</span>
        {severity !== "" && <State of={severity} />}
        <span class="small text-body-secondary ms-auto">for {age(since)}</span>
      </div>
      {summary !== "" && <div>{summary}</div>}
      {description !== "" && <div class="small">{description}</div>}
      {places.length > 0 && <div class="small text-body-secondary">{places.join(", ")}</div>}
    </li>
  );
}
