package io.sluice.gateway;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ReceiveChannelEndpointSupplier;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.DataHeaderFlyweight;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Receiver of multicast that loses, duplicates and reorders datagrams: one of {@link #FAULTS} in a
 * hundred each. Bound to the thread of the transport.
 */
public final class UnreliableEndpoint extends ReceiveChannelEndpoint {
  private static final String FAULTS = "sluice.test.multicast-faults";
  private static final int HUNDRED = 100;
  private static final int SEED = 7;

  private final int faults = Integer.getInteger(FAULTS);
  private final Random random = new Random(SEED);

  /** Datagram that arrives behind the next one; null without one. */
  private UnsafeBuffer delayed;

  private UnreliableEndpoint(
      UdpChannel channel,
      DataPacketDispatcher dispatcher,
      AtomicCounter status,
      MediaDriver.Context context) {
    super(channel, dispatcher, status, context);
  }

  /** Creator of endpoints, which the driver finds by its name. */
  public static final class Supplier implements ReceiveChannelEndpointSupplier {
    @Override
    public ReceiveChannelEndpoint newInstance(
        UdpChannel channel,
        DataPacketDispatcher dispatcher,
        AtomicCounter status,
        MediaDriver.Context context) {
      return new UnreliableEndpoint(channel, dispatcher, status, context);
    }
  }

  /**
   * Returns options of a virtual machine whose receiver is unreliable.
   *
   * @param faults share of each fault in percent
   */
  static List<String> options(int faults) {
    return List.of(
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "-Daeron.ReceiveChannelEndpoint.supplier=" + Supplier.class.getName(),
        "-D" + FAULTS + "=" + faults);
  }

  private boolean happens() {
    return random.nextInt(HUNDRED) < faults;
  }

  @Override
  public int onDataPacket(
      DataHeaderFlyweight header,
      UnsafeBuffer buffer,
      int length,
      InetSocketAddress source,
      int transport) {
    if (happens()) {
      return 0;
    }
    if (delayed == null && happens()) {
      byte[] copy = new byte[length];
      buffer.getBytes(0, copy);
      delayed = new UnsafeBuffer(copy);
      return 0;
    }
    int received = super.onDataPacket(header, buffer, length, source, transport);
    if (happens()) {
      received += super.onDataPacket(header, buffer, length, source, transport);
    }
    if (delayed != null) {
      UnsafeBuffer late = delayed;
      delayed = null;
      DataHeaderFlyweight itsHeader = new DataHeaderFlyweight(late);
      received += super.onDataPacket(itsHeader, late, late.capacity(), source, transport);
    }
    return received;
  }
}
