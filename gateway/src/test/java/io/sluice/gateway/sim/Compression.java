package io.sluice.gateway.sim;

import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.DefectiveWindow;
import io.sluice.testkit.MessageInflater;
import java.util.Set;

/** Compression that a client negotiates: none, without or with context takeover. */
final class Compression {
  private final boolean used;
  private final boolean takeover;
  private final Set<Rule> broken;

  /**
   * @param used whether clients use compression
   * @param choice number that selects the context takeover
   * @param broken rules that the nodes violate
   */
  Compression(boolean used, int choice, Set<Rule> broken) {
    this.used = used;
    this.takeover = used && Math.floorMod(choice, 4) > 0;
    this.broken = broken;
  }

  boolean isUsed() {
    return used;
  }

  /** Returns the node's state for a new connection; null without context takeover. */
  CompressionWindow newWindow() {
    if (!takeover) {
      return null;
    }
    if (broken.contains(Rule.NEXT_FOLLOWS_PREVIOUS)) {
      return DefectiveWindow.ignoringMissedMessages();
    }
    if (broken.contains(Rule.NEXT_FOLLOWS_NO_OTHER_STREAM)) {
      return DefectiveWindow.ignoringOtherStreams();
    }
    return new CompressionWindow();
  }

  /** Returns the parser of a new connection. */
  FrameReader newReader() {
    String agreed = takeover ? "permessage-deflate" : "server_no_context_takeover";
    return new FrameReader(used ? new MessageInflater(agreed) : null);
  }
}
