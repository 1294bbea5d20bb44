package io.sluice.gateway;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.websocket.CloseCode;
import java.util.List;
import java.util.stream.Stream;

/** Tag values of metrics that exist from the start. Constants only. */
final class MeterTags {
  private MeterTags() {}

  static KnownTags known() {
    return new KnownTags(
        Stream.of(CloseCode.values()).map(CloseCode::code).distinct().toList(),
        List.of(
            "400",
            "401",
            "403",
            "404",
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
            "invalid-topic",
            "repeated",
            "late"),
        Stream.of(ErrorCode.values()).map(ErrorCode::code).toList(),
        Stream.of(Mechanism.values()).map(Mechanism::word).toList(),
        Stream.of(Reason.values()).map(Reason::word).toList(),
        Stream.of(
                LimitSettings.CONNECTIONS,
                LimitSettings.HANDSHAKE_RATE,
                LimitSettings.ADDRESS_CONNECTIONS,
                LimitSettings.ADDRESS_HANDSHAKE_RATE,
                LimitSettings.ADDRESS_SUBSCRIPTIONS,
                LimitSettings.ADDRESS_TOPICS,
                LimitSettings.ADDRESS_PUBLISH_RATE,
                LimitSettings.ADDRESSES,
                LimitSettings.PRINCIPAL_CONNECTIONS,
                LimitSettings.PRINCIPAL_HANDSHAKE_RATE,
                LimitSettings.PRINCIPAL_SUBSCRIPTIONS,
                LimitSettings.PRINCIPAL_TOPICS,
                LimitSettings.PRINCIPAL_PUBLISH_RATE,
                LimitSettings.NODE_SUBSCRIPTIONS,
                LimitSettings.NODE_PUBLISH_RATE,
                LimitSettings.OVERLOAD_LAG,
                LimitSettings.FRAME_RATE,
                LimitSettings.TOPIC_PUBLISH_RATE,
                LimitSettings.SUBSCRIPTIONS,
                LimitSettings.SELECTORS,
                LimitSettings.TOPIC_SELECTORS,
                LimitSettings.BROKER_SELECTORS,
                LimitSettings.TOPICS,
                LimitSettings.CHANNELS)
            .map(Setting::key)
            .toList(),
        Stream.of(GapReason.values()).map(GapReason::code).toList());
  }
}
