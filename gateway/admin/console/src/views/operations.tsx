import { Title } from "../parts/basic.js";
import { AuditSection } from "./operations-audit.js";
import { ConfigurationSection } from "./operations-configuration.js";
import { LoggersSection } from "./operations-loggers.js";
import { NodesSection } from "./operations-nodes.js";
import { RevocationsSection } from "./operations-revocations.js";

/** Commands for the node and the cluster, and what they have changed. */
export function OperationsView() {
  return (
    <>
      <Title text="Operations" />
      <NodesSection />
      <ConfigurationSection />
      <LoggersSection />
      <RevocationsSection />
      <AuditSection />
    </>
  );
}
