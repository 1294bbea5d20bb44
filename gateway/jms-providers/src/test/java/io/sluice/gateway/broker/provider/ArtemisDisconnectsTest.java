package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.provider.ArtemisDisconnects.Channel;
import io.sluice.gateway.broker.provider.ArtemisDisconnects.Key;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.core.protocol.core.Packet;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.DisconnectConsumerMessage;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.junit.jupiter.api.Test;

final class ArtemisDisconnectsTest {
  private static final Channel CHANNEL = new Channel("connection", 10);
  private static final Key KEY = new Key(CHANNEL, 7);

  private final RemotingConnection connection =
      (RemotingConnection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {RemotingConnection.class},
              (proxy, method, arguments) -> CHANNEL.connection());
  private final ArtemisDisconnects disconnects = new ArtemisDisconnects();
  private final AtomicInteger disconnected = new AtomicInteger();
  private final AtomicInteger stopped = new AtomicInteger();

  /** Returns whether the client handles the packet itself. */
  private boolean disconnect(long consumer) {
    Packet packet = new DisconnectConsumerMessage(consumer);
    packet.setChannelID(CHANNEL.number());
    return disconnects.intercept(packet, connection);
  }

  private void open() {
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    disconnects.add(KEY, disconnected::incrementAndGet);
    disconnects.end(CHANNEL);
  }

  @Test
  void shouldNotifyAConsumerOnce() {
    open();
    assertThat(disconnect(KEY.consumer())).isFalse();
    assertThat(disconnected).hasValue(1);
    assertThat(disconnect(KEY.consumer())).isTrue();
    assertThat(disconnected).hasValue(1);
  }

  @Test
  void shouldNotifyAConsumerThatIsClosedBeforeItIsRegistered() {
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    assertThat(disconnect(KEY.consumer())).isFalse();
    disconnects.add(KEY, disconnected::incrementAndGet);
    disconnects.end(CHANNEL);
    assertThat(disconnected).hasValue(1);
    assertThat(disconnect(KEY.consumer())).isTrue();
  }

  @Test
  void shouldDiscardTheDisconnectsOfAnOpeningThatHasEnded() {
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    disconnect(KEY.consumer());
    disconnects.end(CHANNEL);
    open();
    assertThat(disconnected).hasValue(0);
  }

  @Test
  void shouldLeaveOtherConsumersToTheClient() {
    open();
    disconnects.remove(KEY);
    assertThat(disconnect(KEY.consumer())).isTrue();
    assertThat(disconnect(8)).isTrue();
    assertThat(disconnected).hasValue(0);
  }

  @Test
  void shouldStopAnOpeningOnASessionThatTheBrokerMayHaveClosed() {
    open();
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    assertThat(stopped).hasValue(0);
    assertThat(disconnect(KEY.consumer())).isFalse();
    assertThat(stopped).as("during the opening").hasValue(1);
    disconnects.end(CHANNEL);

    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    assertThat(stopped).as("before the opening").hasValue(2);
    disconnects.end(CHANNEL);

    disconnects.remove(KEY);
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    assertThat(stopped).as("after all consumers were closed").hasValue(2);
  }

  @Test
  void shouldStopAClosingOnASessionThatTheBrokerMayHaveClosed() {
    open();
    disconnects.begin(CHANNEL, stopped::incrementAndGet);
    disconnects.remove(KEY);
    assertThat(disconnect(KEY.consumer())).as("left to the client").isFalse();
    assertThat(stopped).hasValue(1);
    assertThat(disconnected).hasValue(0);
    disconnects.end(CHANNEL);
    assertThat(disconnect(KEY.consumer())).as("after the closing").isTrue();
  }
}
