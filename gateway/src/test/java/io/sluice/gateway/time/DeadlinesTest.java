package io.sluice.gateway.time;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.sluice.gateway.MainClasses;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Table of all classes that read the monotonic clock of the system. A deadline whose end harms a
 * client or a connection is measured by a {@link RunningClock} instead. The others are listed here
 * with their reason.
 */
final class DeadlinesTest {
  private static final String CLOCK = "source of a RunningClock";
  private static final String RATE = "rate limit, which a pause refills";
  private static final String COST = "measures the node's own work";
  private static final String PERIOD = "schedules the node's own work";
  private static final String RETRY = "its end permits an immediate retry";
  private static final String CACHE = "age of a cached value";
  private static final String PROOF = "time of a proof, in which a pause counts";
  private static final String PROGRESS = "age of bytes that a client took, as kernels report it";
  private static final String OPERATOR = "ends an operator's query";

  private static final String READ = "after a pause, received data is read before the check";

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("mqtt.MqttClient", READ),
          Map.entry("http.LoopState", CLOCK),
          Map.entry("broker.SystemThreads", CLOCK),
          Map.entry("broker.jms.JmsBroker", CLOCK),
          Map.entry("broker.jms.JmsPublisher", CLOCK),
          Map.entry("admin.AdminConnections", CLOCK),
          Map.entry("http.ClientPorts", RATE),
          Map.entry("admin.AdminGuard", RATE),
          Map.entry("streams.events.EventStream", RATE),
          Map.entry("limits.Quota", RATE),
          Map.entry("limits.QuotaRegistry", RATE),
          Map.entry("audit.file.AuditFile", RATE),
          Map.entry("presence.ClientPresence", RATE),
          Map.entry("session.queue.Consumers", RATE),
          Map.entry("session.Publishing", RATE),
          Map.entry("session.Refreshing", RATE),
          Map.entry("session.Refusals", RATE),
          Map.entry("session.Subscriptions", RATE),
          Map.entry("http.ClientCollections", COST),
          Map.entry("hub.DurableIntake", COST),
          Map.entry("socket.EpollSockets", COST),
          Map.entry("socket.ResponseSocket", PROGRESS),
          Map.entry("shard.FlushBatch", COST),
          Map.entry("websocket.Deflation", COST),
          Map.entry("history.HubClock", COST),
          Map.entry("metrics.GatewayMetrics", COST),
          Map.entry("membership.LoadMeter", COST),
          Map.entry("Gateway", COST),
          Map.entry("broker.provider.ArtemisProvider", PERIOD),
          Map.entry("broker.provider.TransactedQueueSession", PERIOD),
          Map.entry("broker.jms.Canary", PROOF),
          Map.entry("broker.jms.CanarySender", PROOF),
          Map.entry("broker.jms.DurableInterest", PERIOD),
          Map.entry("auth.FetchedKeys", PERIOD),
          Map.entry("membership.ClusterMembership", PERIOD),
          Map.entry("membership.Member", PERIOD),
          Map.entry("membership.Rebalance", PERIOD),
          Map.entry("presence.PresenceHub", CLOCK),
          Map.entry("revocation.RevocationExchange", PERIOD),
          Map.entry("broker.queue.JmsQueues", PERIOD),
          Map.entry("multicast.GroupTransport", PERIOD),
          Map.entry("drain.Drain", RETRY),
          Map.entry("broker.jms.PatternProof", RETRY),
          Map.entry("broker.kafka.KafkaFeed", CLOCK),
          Map.entry("broker.kafka.KafkaInterest", RETRY),
          Map.entry("broker.kafka.TopicFeed", RETRY),
          Map.entry("broker.kafka.KafkaPublisher", CACHE),
          Map.entry("link.LinkLag", CACHE),
          Map.entry("broker.kafka.RangeReader", COST),
          Map.entry("broker.kafka.RecordReader", RATE),
          Map.entry("broker.registry.RegistryClient", PERIOD),
          Map.entry("broker.registry.SchemaCache", CACHE),
          Map.entry("broker.registry.SchemaRegistry", RATE),
          Map.entry("broker.nats.NatsPublisher", CACHE),
          Map.entry("broker.nats.NatsReader", RATE),
          Map.entry("broker.nats.NatsSource", CACHE),
          Map.entry("broker.nats.PullConsumer", PERIOD),
          Map.entry("broker.nats.StreamDirectory", CACHE),
          Map.entry("broker.nats.StreamFeed", COST),
          Map.entry("broker.nats.StreamReadBack", CACHE),
          Map.entry("broker.CauseLog", RATE),
          Map.entry("broker.forward.ServedLeaf", RATE),
          Map.entry("link.LinkSocket", CLOCK),
          Map.entry("broker.contract.CheckedBroker", OPERATOR),
          Map.entry("broker.contract.LinkChecks", OPERATOR),
          Map.entry("broker.contract.ProviderContract", OPERATOR),
          Map.entry("broker.provider.ClassicSubscriptions", CACHE),
          Map.entry("admin.query.OverviewQuery", CACHE),
          Map.entry("admin.query.Queries", CACHE),
          Map.entry("admin.query.Tails", OPERATOR),
          Map.entry("session.SessionView", OPERATOR),
          Map.entry("session.TracedConnection", OPERATOR));

  @Test
  void shouldListEachReaderOfTheSystemClock() {
    Map<String, String> readers = new TreeMap<>();
    for (JavaClass each :
        new ClassFileImporter()
            .withImportOption(new MainClasses())
            .importPackages("io.sluice.gateway")) {
      if (Stream.<JavaCodeUnitAccess<?>>concat(
              each.getMethodCallsFromSelf().stream(), each.getMethodReferencesFromSelf().stream())
          .anyMatch(access -> access.getTarget().getFullName().contains("System.nanoTime"))) {
        String name = each.getName().replaceFirst("\\$.*", "").substring(18);
        readers.put(name, REASONS.getOrDefault(name, "unknown"));
      }
    }
    readers.keySet().removeIf(name -> name.matches("(cli|feed|trace)\\..*"));
    assertThat(readers).isEqualTo(new TreeMap<>(REASONS));
  }
}
