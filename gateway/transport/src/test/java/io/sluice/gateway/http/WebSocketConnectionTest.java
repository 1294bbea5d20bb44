package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.admission.NodeAdmission;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.RedirectReason;
import io.sluice.gateway.socket.ChannelSocket;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.testkit.ClientFrame;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebSocketConnectionTest {
  private final Exposition exposition = new Exposition("connection-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final NodeAdmission node = new NodeAdmission(QuotaOptions.of(Config.defaults()), metrics);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private Connection connection;
  private int closings;

  @BeforeEach
  void open() {
    LoopState siblings =
        new LoopState(channel.eventLoop(), 0, TransportLimits.of(Config.defaults()), metrics, null);
    WebSocketConnection client =
        new WebSocketConnection(siblings, "192.0.2.1", false, Failing::new);
    client.onAdmitted((Lease) node.acquire("192.0.2.1"));
    channel.pipeline().addLast(new ChannelSocket(client));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    metrics.close();
    exposition.close();
  }

  /** Fails with each text. */
  private final class Failing implements ConnectionListener {
    Failing(Connection of) {
      connection = of;
    }

    @Override
    public void onText(ByteBuf payload) {
      throw new IllegalStateException("a bug");
    }

    @Override
    public void onBinary(ByteBuf payload) {}

    @Override
    public void onInputEnd() {}

    @Override
    public void onClosed() {
      closings++;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public CloseCode expiryCode() {
      return null;
    }

    @Override
    public boolean onRevoked(Predicate<Peer> revoked) {
      return false;
    }

    @Override
    public void onPing() {}

    @Override
    public void onDraining(long deadlineMs, String url) {}

    @Override
    public boolean isMovable(RedirectReason reason) {
      return false;
    }

    @Override
    public void onRedirect(String url, RedirectReason reason) {}
  }

  private int readCloseCode() {
    ByteBuf frame = channel.readOutbound();
    try {
      return frame.getUnsignedShort(frame.readerIndex() + 2);
    } finally {
      frame.release();
    }
  }

  private void receive(ClientFrame frame) {
    channel.writeInbound(Unpooled.wrappedBuffer(frame.bytes()));
  }

  @Test
  void shouldCloseWithAnErrorCodeAfterAnInternalError() {
    receive(ClientFrame.text("anything"));
    assertThat(readCloseCode()).isEqualTo(1011);
    channel.runPendingTasks();
    assertThat(closings).isEqualTo(1);

    channel.close();
    channel.runPendingTasks();
    assertThat(node.connections()).isZero();
    assertThat(closings).isEqualTo(1);
  }

  @Test
  void shouldSendNothingAfterAClose() {
    connection.close(CloseCode.DRAINING);
    connection.write(Unpooled.buffer().writeByte(1));
    connection.flush();
    connection.close(CloseCode.IDLE);

    assertThat(readCloseCode()).isEqualTo(4100);
    assertThat(channel.outboundMessages()).isEmpty();
  }

  @Test
  void shouldCloseWhenBothHaveSentAClose() {
    connection.close(CloseCode.DRAINING);
    receive(ClientFrame.close(4100, ""));
    channel.runPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    assertThat(node.connections()).isZero();
  }
}
