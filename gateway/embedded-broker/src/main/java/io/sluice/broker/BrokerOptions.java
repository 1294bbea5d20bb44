package io.sluice.broker;

import java.nio.file.Path;
import java.util.Map;

/**
 * Command-line options of the broker. Immutable, for any thread.
 *
 * @param host the listen address
 * @param port the listen port; 0: any free port
 * @param data the folder of the journal; null: no persistence
 * @param pair role in a pair of brokers with a common folder, one of which is active; null: no pair
 * @param peer the port of the other broker of the pair
 * @param closed prefix of addresses that are not created on demand; null: none
 * @param retroactive prefix of addresses whose new queues receive the latest messages; null: none
 * @param lastValue prefix of addresses whose queues keep the newest message of each key, in the
 *     property {@code key}; null: none
 * @param separator character between the levels of an address
 * @param guarded address that exists and is read-only; addresses below it can be neither created
 *     nor written to; null: none
 * @param restricted user with granted permissions only; null: all users may do everything that is
 *     not guarded. If set, unused addresses and queues are deleted, as is Artemis' default
 * @param attempts number of deliveries after which a message is moved to the queue {@code DLQ}; -1:
 *     unlimited
 * @param diskLimit used part of the disk in percent above which the broker blocks senders; -1: none
 * @param keyStore PKCS#12 file with the certificate of the TLS acceptor; null: plain TCP
 * @param keyStorePassword password of that file
 * @param untilStdinCloses whether the broker stops when its standard input is closed; input before
 *     that announces the stop
 */
record BrokerOptions(
    String host,
    int port,
    Path data,
    Pair pair,
    int peer,
    String closed,
    String retroactive,
    String lastValue,
    char separator,
    String guarded,
    RestrictedUser restricted,
    int attempts,
    int diskLimit,
    Path keyStore,
    String keyStorePassword,
    boolean untilStdinCloses) {
  /** Role of one of two brokers with a common folder. */
  enum Pair {
    /** Active whenever it runs. */
    PRIMARY,
    /** Active while the primary is down; fails back when the primary returns. */
    BACKUP
  }

  static final String USAGE =
      "options: [--host ADDRESS] [--port PORT] [--data FOLDER] [--pair primary|backup --peer PORT]"
          + " [--closed NAME] [--retroactive NAME] [--last-value NAME] [--separator CHARACTER]"
          + " [--guarded NAME] [--user NAME --password TEXT [--grant PATTERN=RIGHT,RIGHT]...] [--attempts NUMBER]"
          + " [--disk-limit PERCENT] [--key-store FILE --key-store-password TEXT] [--until-stdin-closes]";

  /**
   * Parses the options.
   *
   * @throws IllegalArgumentException with the name of an invalid option
   */
  static BrokerOptions parse(String... arguments) {
    String host = "127.0.0.1";
    int port = 61616;
    Path data = null;
    Pair pair = null;
    int peer = 0;
    String closed = null;
    String retroactive = null;
    String lastValue = null;
    char separator = '.';
    String guarded = null;
    String user = null;
    RestrictedUser restricted = null;
    int attempts = -1;
    int diskLimit = -1;
    Path keyStore = null;
    String keyStorePassword = null;
    boolean untilStdinCloses = false;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--host" -> host = value(arguments, i++);
        case "--port" -> port = number("--port", value(arguments, i++));
        case "--data" -> data = Path.of(value(arguments, i++));
        case "--pair" -> pair = pair(value(arguments, i++));
        case "--peer" -> peer = number("--peer", value(arguments, i++));
        case "--closed" -> closed = value(arguments, i++);
        case "--retroactive" -> retroactive = value(arguments, i++);
        case "--last-value" -> lastValue = value(arguments, i++);
        case "--separator" -> separator = value(arguments, i++).charAt(0);
        case "--guarded" -> guarded = value(arguments, i++);
        case "--user" -> user = value(arguments, i++);
        case "--password" -> restricted = new RestrictedUser(user, value(arguments, i++), Map.of());
        case "--grant" -> restricted = granted(restricted, value(arguments, i++));
        case "--attempts" -> attempts = number("--attempts", value(arguments, i++));
        case "--disk-limit" -> diskLimit = number("--disk-limit", value(arguments, i++));
        case "--key-store" -> keyStore = Path.of(value(arguments, i++));
        case "--key-store-password" -> keyStorePassword = value(arguments, i++);
        case "--until-stdin-closes" -> untilStdinCloses = true;
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    if (pair != null && (data == null || port == 0 || peer == 0)) {
      throw new IllegalArgumentException(
          "--pair needs --data, equal for both brokers, --port, and --peer with the other's port");
    }
    return new BrokerOptions(
        host,
        port,
        data,
        pair,
        peer,
        closed,
        retroactive,
        lastValue,
        separator,
        guarded,
        restricted,
        attempts,
        diskLimit,
        keyStore,
        keyStorePassword,
        untilStdinCloses);
  }

  private static String value(String[] arguments, int option) {
    if (option + 1 == arguments.length) {
      throw new IllegalArgumentException(arguments[option] + " needs a value");
    }
    return arguments[option + 1];
  }

  private static RestrictedUser granted(RestrictedUser user, String grant) {
    if (user == null || user.user() == null) {
      throw new IllegalArgumentException("--grant needs --user and --password before it");
    }
    return user.granted(grant);
  }

  private static Pair pair(String text) {
    return switch (text) {
      case "primary" -> Pair.PRIMARY;
      case "backup" -> Pair.BACKUP;
      default ->
          throw new IllegalArgumentException("--pair is " + text + "; expected primary or backup");
    };
  }

  private static int number(String option, String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 0 && number <= 65535) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Falls through to the message for numbers out of range.
    }
    throw new IllegalArgumentException(option + " is " + text + "; expected 0 to 65535");
  }
}
