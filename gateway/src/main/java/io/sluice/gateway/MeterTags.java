package io.sluice.gateway;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import java.util.List;
import java.util.stream.Stream;

/** The tag values that metrics know beforehand. Constants only. */
final class MeterTags {
  private MeterTags() {}

  static KnownTags known() {
    return new KnownTags(
        Stream.of(CloseCode.values()).map(CloseCode::code).distinct().toList(),
        List.of(
            "400",
            "401",
            "403",
            "405",
            "413",
            "414",
            "426",
            "429",
            "431",
            "503",
            "timeout",
            "tls",
            "before-tls",
            "too-many",
            "unread",
            "proxy-protocol"),
        List.of(
            "slow-consumer",
            "shard-queue-full",
            "too-many-channels",
            "latest-too-many",
            "snapshots-too-many",
            "too-large",
            "unsupported",
            "repeated",
            "late"),
        Stream.of(ErrorCode.values()).map(ErrorCode::code).toList(),
        Stream.of(Mechanism.values()).map(Mechanism::word).toList(),
        Stream.of(Reason.values()).map(Reason::word).toList(),
        Stream.of(
                Settings.LIMIT_CONNECTIONS,
                Settings.LIMIT_HANDSHAKE_RATE,
                Settings.LIMIT_ADDRESS_CONNECTIONS,
                Settings.LIMIT_ADDRESS_HANDSHAKE_RATE,
                Settings.LIMIT_ADDRESS_SUBSCRIPTIONS,
                Settings.LIMIT_ADDRESS_PUBLISH_RATE,
                Settings.LIMIT_ADDRESS_PUBLISH_BYTES,
                Settings.LIMIT_ADDRESSES,
                Settings.LIMIT_PRINCIPAL_CONNECTIONS,
                Settings.LIMIT_PRINCIPAL_HANDSHAKE_RATE,
                Settings.LIMIT_PRINCIPAL_SUBSCRIPTIONS,
                Settings.LIMIT_PRINCIPAL_PUBLISH_RATE,
                Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES,
                Settings.LIMIT_NODE_SUBSCRIPTIONS,
                Settings.LIMIT_NODE_PUBLISH_RATE,
                Settings.LIMIT_NODE_PUBLISH_BYTES,
                Settings.LIMIT_OVERLOAD_LAG,
                Settings.LIMIT_FRAME_RATE,
                Settings.LIMIT_RECEIVE_RATE,
                Settings.LIMIT_TOPIC_PUBLISH_RATE,
                Settings.LIMIT_SUBSCRIPTIONS,
                Settings.LIMIT_TOPICS,
                Settings.LIMIT_CHANNELS)
            .map(Setting::key)
            .toList(),
        Stream.of(GapReason.values()).map(GapReason::code).toList());
  }
}
