package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.selector.SelectorSyntax;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.TopicRules;

/**
 * Permissions and limits of the leaves of a root. Immutable, for any thread.
 *
 * @param subscribe what leaves may consume and browse
 * @param publish where leaves may publish
 * @param rules rules for names of topics and queues
 * @param credit maximum credit of a consumer
 * @param selectorLength maximum characters of a selector
 * @param consumers maximum number of consumers of all leaves
 * @param requests maximum number of pending requests of all leaves
 * @param requestTimeoutMs maximum time limit of a request
 * @param transaction maximum number of parts of a transaction
 * @param transactionBytes maximum bytes of all transactions of leaves that wait for the broker
 */
public record ForwardOptions(
    LinkGrants subscribe,
    LinkGrants publish,
    TopicRules rules,
    int credit,
    int selectorLength,
    int consumers,
    int requests,
    long requestTimeoutMs,
    int transaction,
    long transactionBytes) {
  /** Reads the options from the configuration. */
  public static ForwardOptions of(Config config) {
    int consumers = config.get(LimitSettings.NODE_CONSUMERS);
    return new ForwardOptions(
        LinkGrants.of(config, LinkSettings.SUBSCRIBE),
        LinkGrants.of(config, LinkSettings.PUBLISH),
        TopicSettings.topicRules(config),
        config.get(LimitSettings.CONSUMER_CREDIT),
        config.get(LimitSettings.SELECTOR_LENGTH),
        consumers == 0 ? Integer.MAX_VALUE : consumers,
        config.get(LimitSettings.NODE_REQUESTS),
        config.get(LimitSettings.REQUEST_TIMEOUT).toMillis(),
        config.get(LimitSettings.TRANSACTION),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES));
  }

  /**
   * Returns why a selector of a leaf is refused, or null.
   *
   * @param where may be null
   */
  TopicRules.Problem selectorProblem(String where) {
    if (where == null) {
      return null;
    }
    String problem =
        where.length() > selectorLength
            ? "a selector has %d characters; %s of the root is %d"
                .formatted(where.length(), LimitSettings.SELECTOR_LENGTH.key(), selectorLength)
            : SelectorSyntax.problem(where);
    return problem == null ? null : new TopicRules.Problem(ErrorCode.INVALID_SELECTOR, problem);
  }
}
