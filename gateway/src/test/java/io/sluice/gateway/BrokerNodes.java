package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** A node at an Artemis broker and one at a Classic broker, for all tests of a class. */
final class BrokerNodes implements AutoCloseable {
  private final Map<String, Scene> scenes = new HashMap<>();

  /** A broker with a node. */
  record Scene(TestBroker broker, TestNode node) {}

  /** Starts the brokers and nodes, and returns when the nodes are ready. */
  static BrokerNodes start(Function<TestBroker, Config> config) {
    BrokerNodes started = new BrokerNodes();
    for (String provider : new String[] {"artemis", "classic"}) {
      TestBroker broker = TestBroker.start(provider);
      TestNode node = TestNode.start(config.apply(broker));
      node.awaitReady();
      started.scenes.put(provider, new Scene(broker, node));
    }
    return started;
  }

  Scene of(String provider) {
    return scenes.get(provider);
  }

  @Override
  public void close() {
    scenes.values().forEach(scene -> scene.node().close());
    scenes.values().forEach(scene -> scene.broker().close());
  }
}
