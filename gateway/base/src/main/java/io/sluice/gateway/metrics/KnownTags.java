package io.sluice.gateway.metrics;

import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.websocket.CloseCode;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tag values that are exported as 0 from the start. Therefore the first event of a kind is visible
 * as an increase, and unexpected values cannot displace them. Immutable, for any thread.
 *
 * @param closeCodes close codes that the node sends
 * @param refusals causes for which a handshake is refused
 * @param drops causes for which a message is dropped
 * @param errors error codes that the node sends
 * @param mechanisms authentication mechanisms
 * @param authenticationFailures reasons for which a credential is rejected
 * @param limits keys of limits that refuse requests or connections of clients
 * @param gaps reasons for which a gap is sent
 */
public record KnownTags(
    Collection<Integer> closeCodes,
    Collection<String> refusals,
    Collection<String> drops,
    Collection<String> errors,
    Collection<String> mechanisms,
    Collection<String> authenticationFailures,
    Collection<String> limits,
    Collection<String> gaps) {

  public KnownTags {
    closeCodes = List.copyOf(closeCodes);
    refusals = List.copyOf(refusals);
    drops = List.copyOf(drops);
    errors = List.copyOf(errors);
    mechanisms = List.copyOf(mechanisms);
    authenticationFailures = List.copyOf(authenticationFailures);
    limits = List.copyOf(limits);
    gaps = List.copyOf(gaps);
  }

  /**
   * Returns the values of a node.
   *
   * @param mechanisms authentication mechanisms
   * @param authenticationFailures reasons for which a credential is rejected
   */
  public static KnownTags of(
      Collection<String> mechanisms, Collection<String> authenticationFailures) {
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
        mechanisms,
        authenticationFailures,
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

  /** Returns an instance without values; each value is exported from its first event on. */
  public static KnownTags none() {
    return new KnownTags(
        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
  }
}
