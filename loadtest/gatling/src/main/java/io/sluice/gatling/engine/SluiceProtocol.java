package io.sluice.gatling.engine;

import io.gatling.core.protocol.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Settings of the protocol. Immutable.
 *
 * @param urls addresses of the nodes, used in turn
 * @param token credential; null without one
 * @param headers headers of the handshake
 * @param answerTimeout time limit of answers and of waits for messages
 * @param maxMessageBytes maximum size of a received message
 * @param maxLoggedPerSecond maximum number of messages per second that become responses
 */
public record SluiceProtocol(
    List<Template> urls,
    Template token,
    Map<String, Template> headers,
    boolean isBinary,
    boolean isCompressed,
    boolean acceptsAnyCertificate,
    Duration connectTimeout,
    Duration answerTimeout,
    int maxMessageBytes,
    int maxLoggedPerSecond)
    implements Protocol {

  /** Default of {@link #maxMessageBytes}. */
  public static final int MAX_MESSAGE_BYTES = 16 << 20;

  /** Default of {@link #maxLoggedPerSecond}. */
  public static final int MAX_LOGGED_PER_SECOND = 10_000;

  /** Default of both timeouts. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Settings with every default. They have no address. */
  public static final SluiceProtocol DEFAULTS =
      new SluiceProtocol(
          List.of(),
          null,
          Map.of(),
          true,
          false,
          false,
          TIMEOUT,
          TIMEOUT,
          MAX_MESSAGE_BYTES,
          MAX_LOGGED_PER_SECOND);

  /** Checks the settings, and copies lists and maps. */
  public SluiceProtocol {
    urls = List.copyOf(urls);
    headers = Map.copyOf(headers);
    checkPositive("connectTimeout", connectTimeout);
    checkPositive("answerTimeout", answerTimeout);
    checkAtLeast("maxMessageBytes", maxMessageBytes, 1);
    checkAtLeast("maxLoggedPerSecond", maxLoggedPerSecond, 0);
    for (Template url : urls) {
      if (!url.toString().contains("#{")) {
        NodeAddress.parse(url.toString());
      }
    }
  }

  /** Mutable copy of the settings. */
  private static final class Copy {
    private List<Template> urls;
    private Template token;
    private Map<String, Template> headers;
    private boolean isBinary;
    private boolean isCompressed;
    private boolean acceptsAnyCertificate;
    private Duration connectTimeout;
    private Duration answerTimeout;
    private int maxMessageBytes;
    private int maxLoggedPerSecond;

    private Copy(SluiceProtocol settings) {
      urls = settings.urls;
      token = settings.token;
      headers = settings.headers;
      isBinary = settings.isBinary;
      isCompressed = settings.isCompressed;
      acceptsAnyCertificate = settings.acceptsAnyCertificate;
      connectTimeout = settings.connectTimeout;
      answerTimeout = settings.answerTimeout;
      maxMessageBytes = settings.maxMessageBytes;
      maxLoggedPerSecond = settings.maxLoggedPerSecond;
    }

    private SluiceProtocol settings() {
      return new SluiceProtocol(
          urls,
          token,
          headers,
          isBinary,
          isCompressed,
          acceptsAnyCertificate,
          connectTimeout,
          answerTimeout,
          maxMessageBytes,
          maxLoggedPerSecond);
    }
  }

  private SluiceProtocol with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.settings();
  }

  /** Returns these settings with other addresses. */
  public SluiceProtocol withUrls(List<Template> changed) {
    return with(copy -> copy.urls = changed);
  }

  /** Returns these settings with another credential. */
  public SluiceProtocol withToken(Template changed) {
    return with(copy -> copy.token = changed);
  }

  /** Returns these settings with other headers. */
  public SluiceProtocol withHeaders(Map<String, Template> changed) {
    return with(copy -> copy.headers = changed);
  }

  /** Returns these settings with another encoding. */
  public SluiceProtocol withBinary(boolean changed) {
    return with(copy -> copy.isBinary = changed);
  }

  /** Returns these settings with permessage-deflate. */
  public SluiceProtocol withCompression() {
    return with(copy -> copy.isCompressed = true);
  }

  /** Returns these settings with any certificate accepted. */
  public SluiceProtocol withAnyCertificate() {
    return with(copy -> copy.acceptsAnyCertificate = true);
  }

  /** Returns these settings with another time limit of the handshake. */
  public SluiceProtocol withConnectTimeout(Duration changed) {
    return with(copy -> copy.connectTimeout = changed);
  }

  /** Returns these settings with another time limit of answers. */
  public SluiceProtocol withAnswerTimeout(Duration changed) {
    return with(copy -> copy.answerTimeout = changed);
  }

  /** Returns these settings with another maximum size. */
  public SluiceProtocol withMaxMessageBytes(int changed) {
    return with(copy -> copy.maxMessageBytes = changed);
  }

  /** Returns these settings with another maximum of logged messages. */
  public SluiceProtocol withMaxLoggedPerSecond(int changed) {
    return with(copy -> copy.maxLoggedPerSecond = changed);
  }

  /** Throws if a duration is not positive. */
  public static void checkPositive(String name, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, not " + duration);
    }
  }

  /** Throws if a number is too small. */
  public static void checkAtLeast(String name, long number, long min) {
    if (number < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + number);
    }
  }
}
