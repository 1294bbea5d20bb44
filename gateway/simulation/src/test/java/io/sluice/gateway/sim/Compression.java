package io.sluice.gateway.sim;

import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.DefectiveWindow;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.MessageInflater;
import java.util.Set;

/**
 * Compression that a client negotiates: none, without or with context takeover, each with or
 * without compressed frames.
 */
final class Compression {
  private final boolean used;
  private final boolean takeover;
  private final boolean framed;
  private final Set<Rule> broken;

  /**
   * @param used whether clients use compression
   * @param choice number that selects the context takeover and compressed frames
   * @param broken rules that the nodes violate
   */
  Compression(boolean used, int choice, Set<Rule> broken) {
    this.used = used;
    this.takeover = used && Math.floorMod(choice, 4) > 0;
    this.framed = used && isFramed(choice, broken);
    this.broken = broken;
  }

  // A violation is found faster if all clients can detect it.
  private static boolean isFramed(int choice, Set<Rule> broken) {
    if (broken.stream().anyMatch(Rule::isOfCompression)) {
      return broken.contains(Rule.RETAINS_EACH_MESSAGE) || broken.contains(Rule.RETAINS_PER_STREAM);
    }
    return Math.floorMod(choice >> 2, 2) > 0;
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

  /** Returns whether the client accepts compressed frames. */
  boolean isFramed() {
    return framed;
  }

  /** Returns the first frame of a client with compressed frames. */
  String connect() {
    return "{\"type\":\"connect\",\"compressed\":true}";
  }

  /** Returns the parser of a new connection. */
  FrameReader newReader() {
    String agreed = takeover ? "permessage-deflate" : "server_no_context_takeover";
    return used
        ? new FrameReader(new MessageInflater(agreed), newFrames())
        : new FrameReader(null, null);
  }

  private CompressedFrames newFrames() {
    return new CompressedFrames() {
      private int decoded;

      @Override
      protected long stream(long number) {
        return broken.contains(Rule.RETAINS_PER_STREAM) ? 0 : number;
      }

      @Override
      protected void retain(int kind, long stream, byte[] message) {
        if (!broken.contains(Rule.RETAINS_EACH_MESSAGE) || decoded++ % 2 == 0) {
          super.retain(kind, stream, message);
        }
      }
    };
  }
}
