package io.sluice.gateway.streams.route;

import io.sluice.gateway.protocol.Start;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HexFormat;

/** Messages of a replay that the client may have received. Stateless, for any thread. */
public final class Repeats {
  /** Digits of the partition at the beginning of an id. */
  private static final int PARTITION_DIGITS = 4;

  private Repeats() {}

  /**
   * Returns the number of messages that may be repeated; 0 if the replay is exact.
   *
   * @param subscribed frame of the session
   */
  public static int of(Start start, JsonObject subscribed) {
    boolean isExact =
        !(start instanceof Start.Position position)
            || !subscribed.getBoolean("recovered", true)
            || subscribed
                .getString("epoch")
                .startsWith(HexFormat.of().toHexDigits(position.epoch()))
            || isOfOnlyPartition(position, subscribed.getJsonArray("ids"));
    return isExact ? 0 : subscribed.getInteger("replay", 0);
  }

  // The order at another node may differ, so its replay begins earlier. A source with offsets has
  // one order in each partition, but the position is that of one.
  private static boolean isOfOnlyPartition(Start.Position position, JsonArray ids) {
    if (ids == null || ids.size() != 1 || position.ids().length != 1) {
      return false;
    }
    String id = HexFormat.of().toHexDigits(position.ids()[0]);
    return ids.getString(0).startsWith(id.substring(0, PARTITION_DIGITS));
  }
}
