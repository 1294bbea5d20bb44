package io.sluice.broker;

import java.nio.file.Path;
import java.util.Map;

/**
 * The options of the command line. Immutable.
 *
 * @param host the address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param data the folder of the journal, or null to keep nothing
 * @param pair which of two brokers of one folder it is, of whom one serves at a time; null: it is
 *     alone
 * @param peer the port of the other one of the pair
 * @param closed addresses under this name are not created on demand; null: all are
 * @param retroactive addresses under this name give each new queue the latest messages; null: none
 * @param lastValue queues of addresses under this name keep the newest message of each key, which
 *     is the property {@code key}; null: none
 * @param guarded this address is there, and nobody may send to it, nor create or send to one under
 *     it; null: everybody may do everything
 * @param restricted a user who may do no more than he is granted; null: everybody may do everything
 *     that is not guarded. With one, addresses and queues that nobody uses vanish, as is Artemis'
 *     default
 * @param keyStore the PKCS#12 file with the certificate by which the acceptor speaks TLS; null: it
 *     speaks plain TCP
 * @param keyStorePassword what opens that file
 * @param untilStdinCloses whether the end of standard input ends the broker
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
    String guarded,
    Restricted restricted,
    Path keyStore,
    String keyStorePassword,
    boolean untilStdinCloses) {
  /** One of two brokers with a common folder. */
  enum Pair {
    /** Serves whenever it runs. */
    PRIMARY,
    /** Serves while the other one does not, and yields when that comes back. */
    BACKUP
  }

  static final String USAGE =
      "options: [--host ADDRESS] [--port PORT] [--data FOLDER]"
          + " [--pair primary|backup --peer PORT] [--closed NAME]"
          + " [--retroactive NAME] [--last-value NAME] [--guarded NAME]"
          + " [--user NAME --password TEXT [--grant PATTERN=RIGHT,RIGHT]...]"
          + " [--key-store FILE --key-store-password TEXT] [--until-stdin-closes]";

  /** Reads the options; an {@link IllegalArgumentException} names the one that is wrong. */
  static BrokerOptions parse(String... arguments) {
    String host = "127.0.0.1";
    int port = 61616;
    Path data = null;
    Pair pair = null;
    int peer = 0;
    String closed = null;
    String retroactive = null;
    String lastValue = null;
    String guarded = null;
    String user = null;
    Restricted restricted = null;
    Path keyStore = null;
    String keyStorePassword = null;
    boolean untilStdinCloses = false;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--host" -> host = value(arguments, i++);
        case "--port" -> port = port("--port", value(arguments, i++));
        case "--data" -> data = Path.of(value(arguments, i++));
        case "--pair" -> pair = pair(value(arguments, i++));
        case "--peer" -> peer = port("--peer", value(arguments, i++));
        case "--closed" -> closed = value(arguments, i++);
        case "--retroactive" -> retroactive = value(arguments, i++);
        case "--last-value" -> lastValue = value(arguments, i++);
        case "--guarded" -> guarded = value(arguments, i++);
        case "--user" -> user = value(arguments, i++);
        case "--password" -> restricted = new Restricted(user, value(arguments, i++), Map.of());
        case "--grant" -> restricted = granted(restricted, value(arguments, i++));
        case "--key-store" -> keyStore = Path.of(value(arguments, i++));
        case "--key-store-password" -> keyStorePassword = value(arguments, i++);
        case "--until-stdin-closes" -> untilStdinCloses = true;
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    if (pair != null && (data == null || port == 0 || peer == 0)) {
      throw new IllegalArgumentException(
          "--pair needs --data, the same for both, --port and --peer, the other one's");
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
        guarded,
        restricted,
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

  private static Restricted granted(Restricted user, String grant) {
    if (user == null || user.user() == null) {
      throw new IllegalArgumentException("--grant needs --user and --password before it");
    }
    return user.granted(grant);
  }

  private static Pair pair(String text) {
    return switch (text) {
      case "primary" -> Pair.PRIMARY;
      case "backup" -> Pair.BACKUP;
      default -> throw new IllegalArgumentException("--pair takes primary or backup, not " + text);
    };
  }

  private static int port(String option, String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 0 && port <= 65535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Falls through to the message that also serves a number out of range.
    }
    throw new IllegalArgumentException(option + " takes a number from 0 to 65535, not " + text);
  }
}
