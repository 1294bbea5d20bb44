package io.sluice.gateway.multicast;

import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkGroup;
import io.sluice.gateway.link.LinkOptions;
import io.sluice.gateway.metrics.MeterBuilder;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The group of a node as root, and its memberships as leaf. See {@link LinkGroup}. */
public final class MulticastGroup implements LinkGroup {
  private static final Logger log = LoggerFactory.getLogger(MulticastGroup.class);

  private final GroupMeters meters;

  /** Null without a group. */
  private final GroupAddress address;

  private final String local;

  /** Null until a group is used, so that other nodes load no class of Aeron. */
  private GroupTransport transport;

  /** Null before the first leaf. */
  private GroupSender sender;

  /** Creates the group, which does not send yet. Without an interface for it, links do. */
  public static LinkGroup of(LinkOptions options, MeterBuilder meters) {
    GroupMeters of = new GroupMeters(meters);
    if (!options.group().isEmpty()) {
      GroupAddress address = GroupAddress.of(options.group());
      try {
        return new MulticastGroup(of, address, address.local(options.host()));
      } catch (IOException e) {
        log.atError()
            .addKeyValue("group", options.group())
            .addKeyValue("cause", e.getMessage())
            .log("multicast.failed");
      }
    }
    return new MulticastGroup(of, null, null);
  }

  /** Returns why this process can have no group; null if it can. */
  public static String problem() {
    return GroupTransport.problem();
  }

  private MulticastGroup(GroupMeters meters, GroupAddress address, String local) {
    this.meters = meters;
    this.address = address;
    this.local = local;
  }

  @Override
  public Root serve(LinkChannel leaf) {
    if (address == null) {
      return null;
    }
    if (sender == null) {
      Executor loop = leaf::execute;
      sender = new GroupSender(address, local, transport(), meters, loop);
    }
    return sender.serve(leaf);
  }

  @Override
  public Leaf join(LinkChannel channel, String root, IntFunction<LeafLog> logs) {
    return new GroupLeaf(channel, root, logs, this::transport, meters);
  }

  private synchronized GroupTransport transport() {
    if (transport == null) {
      transport = new GroupTransport();
    }
    return transport;
  }

  @Override
  public void close() {
    GroupTransport opened;
    synchronized (this) {
      opened = transport;
    }
    if (opened != null) {
      opened.close();
    }
  }
}
