package io.sluice.gateway.attack;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Scripts of attackers that use permissions, selectors, bodies and tokens. Stateless. */
final class UserScripts {
  private static final int BEAT_MS = 50;
  private static final int SELECTORS = 60;
  private static final int SELECTOR_TOPICS = 10;
  private static final int NAMES = 4_000;
  private static final int BODIES = 8;
  private static final int DEPTH = 20_000;
  private static final int MALFORMED = 100;
  private static final int REFUSED = 12_000;
  private static final int STREAM_BYTES = 1_000_000;
  private static final String SELECTOR = "{\"type\":\"%s\",\"ref\":%d,%s,\"where\":\"%s\"}";

  private UserScripts() {}

  private static byte[] text(String frame, Object... values) {
    return Bytes.text(frame.formatted(values).replace('\'', '"'));
  }

  private static byte[] connected(String token, byte[]... frames) {
    return Bytes.join(Bytes.handshake(), Bytes.connect(token), Bytes.join(frames));
  }

  // A responder without the permission to publish where its own request lets replies go.
  static Script forgedReply(Tokens tokens) {
    byte[] first =
        connected(
            tokens.of(Users.GUEST),
            Bytes.subscribe(1, "prices.eur"),
            text("{'type':'consume','ref':7,'queue':'box.forged','credit':10}"));
    byte[] beat =
        Bytes.join(
            text(
                "{'type':'publish','ref':2,'queue':'box.forged','payload':'question',"
                    + "'replyTo':{'topic':'prices.eur'}}"),
            text("{'type':'publish','ref':3,'topic':'prices.eur','payload':'FORGED'}"),
            text("{'type':'respond','ref':4,'subscription':7,'tag':1,'payload':'FORGED'}"));
    return Script.of(first).then(beat, BEAT_MS).atMost("FORGED", 0);
  }

  static Script repeatedReply(Tokens tokens) {
    byte[] respond = text("{'type':'respond','ref':4,'subscription':7,'tag':1,'payload':'ANSWER'}");
    return Script.of(
            number ->
                connected(
                    tokens.of(Users.GUEST),
                    Bytes.subscribe(1, "probe.reply." + number),
                    text("{'type':'consume','ref':7,'queue':'box.%d','credit':1}", number),
                    text(
                        "{'type':'publish','ref':2,'queue':'box.%d','payload':'question',"
                            + "'ttl':60000,'replyTo':{'topic':'probe.reply.%d'}}",
                        number, number)))
        .then(respond, BEAT_MS)
        .atMost("ANSWER", 1);
  }

  // Half of the clients use streams. A refused one comes again.
  static Script withdrawn(Tokens tokens) {
    String connect = Bytes.connectFrame(tokens.of(Users.LEAVER));
    String subscribe = Bytes.subscribeFrame(1, RuleReloads.TOPIC);
    byte[] socket = Bytes.join(Bytes.handshake(), Bytes.text(connect), Bytes.text(subscribe));
    byte[] stream = Bytes.stream(connect, subscribe);
    return Script.of(number -> number % 2 == 0 ? socket : stream)
        .leaving(Script.End.REFUSED)
        .atMost(RuleReloads.AFTER, 0);
  }

  static Script parentTopic(Tokens tokens) {
    byte[] first =
        connected(
            tokens.of(Users.GUEST),
            text("{'type':'consume','ref':7,'topic':'probe.eu.>','shared':'w','credit':1000}"));
    byte[] beat =
        Bytes.join(
            text("{'type':'publish','ref':2,'topic':'probe.eu','payload':'PARENT'}"),
            text("{'type':'publish','ref':3,'topic':'probe.eu.1','payload':'child'}"));
    return Script.of(first).then(beat, BEAT_MS).atMost("PARENT", 0);
  }

  static Script selectors() {
    return Script.of(
            number ->
                Bytes.join(
                    Bytes.handshake(),
                    Bytes.join(
                        IntStream.range(0, SELECTORS)
                            .mapToObj(ref -> selector(number, ref))
                            .toArray(byte[][]::new))))
        .counting();
  }

  private static byte[] selector(int number, int ref) {
    return text(
        "{'type':'subscribe','ref':%d,'topic':'stocks.%d','tagged':true,'where':'price > %d'}",
        ref, ref % SELECTOR_TOPICS, number * SELECTORS + ref);
  }

  static Script deepSelectors(Tokens tokens) {
    String like = "a LIKE '" + "%a".repeat(1_900) + "'";
    String nested = "(".repeat(1_900) + "a = 1" + ")".repeat(1_900);
    String negated = "NOT ".repeat(900) + "a = 1";
    String chain = "a=1 OR ".repeat(550) + "a=1";
    String topic = "\"topic\":\"probe.x\",\"tagged\":true";
    String queue = "\"queue\":\"box.deep\"";
    byte[] beat =
        Bytes.join(
            Bytes.text(SELECTOR.formatted("subscribe", 1, topic, like)),
            Bytes.text(SELECTOR.formatted("subscribe", 2, topic, nested)),
            Bytes.text(SELECTOR.formatted("consume", 3, queue, like)),
            Bytes.text(SELECTOR.formatted("consume", 4, queue, negated)),
            Bytes.text(SELECTOR.formatted("browse", 5, queue, chain)));
    return Script.of(connected(tokens.of(Users.GUEST))).then(beat, BEAT_MS).counting();
  }

  // Names that no other connection uses, from a client whose token is checked meanwhile.
  static Script newNames(Tokens tokens) {
    return Script.of(
        number ->
            connected(
                tokens.of(Tokens.BAD),
                IntStream.range(0, BODIES)
                    .mapToObj(body -> names(number * BODIES + body))
                    .toArray(byte[][]::new)));
  }

  private static byte[] names(int number) {
    StringBuilder frame =
        new StringBuilder("{\"type\":\"publish\",\"topic\":\"probe.x\",\"encoding\":\"json\"");
    frame.append(",\"payload\":{\"first\":0");
    for (int i = 0; i < NAMES; i++) {
      frame.append(",\"").append(Integer.toString(number * NAMES + i, 36)).append("x\":1");
    }
    return Bytes.text(frame.append("}}").toString());
  }

  static Script malformed() {
    byte[] twice =
        text(
            "{'type':'publish','ref':1,'topic':'probe.x','encoding':'json',"
                + "'payload':{'a':1},'payload':{'a':1}}");
    byte[] deep =
        Bytes.text("{\"type\":\"ping\",\"x\":" + "[".repeat(DEPTH) + "]".repeat(DEPTH) + "}");
    byte[] some = Bytes.join(deep, Bytes.repeat(twice, 9));
    return Script.of(Bytes.join(Bytes.handshake(), Bytes.repeat(some, MALFORMED / 10)))
        .then(twice, BEAT_MS);
  }

  // One client of five is the witness, with one refusal for each connection.
  static Script auditFlood(Tokens tokens) {
    byte[] witness = connected(tokens.of(Users.WITNESS), Bytes.subscribe(1, "secret.seen"));
    byte[][] refused = new byte[REFUSED][];
    Arrays.setAll(refused, i -> Bytes.publish(i, "secret." + i));
    byte[] flood = connected(tokens.of(Users.GUEST), refused);
    return Script.of(number -> number % 5 == 0 ? witness : flood);
  }

  static Script otherSubject(Tokens tokens) {
    return Script.of(
        connected(
            tokens.of(Users.GUEST),
            text("{'type':'refresh','ref':1,'token':'%s'}", tokens.of(Users.OTHER))));
  }

  static Script internalNames(Tokens tokens) {
    byte[] beat =
        Bytes.join(
            Bytes.subscribe(1, "activemq.notifications"),
            Bytes.subscribe(2, "$sys.>"),
            Bytes.publish(3, "activemq.management"),
            text("{'type':'publish','ref':4,'queue':'activemq.management','payload':'{}'}"),
            text("{'type':'consume','ref':5,'queue':'activemq.management'}"),
            text("{'type':'browse','ref':6,'queue':'$sys.mqtt.sessions'}"));
    return Script.of(connected(tokens.of(Users.TRUSTED)))
        .then(beat, BEAT_MS)
        .atMost("{\"type\":\"subscribed\"", 0)
        .atMost("{\"type\":\"published\"", 0)
        .atMost("{\"type\":\"consuming\"", 0)
        .atMost("{\"type\":\"browsed\"", 0);
  }

  // The client with the JWT uses the subscription; the other one has no such subscription.
  static Script sameName(Tokens tokens) {
    byte[] owner =
        connected(
            tokens.of(Users.TWIN),
            text("{'type':'consume','ref':7,'topic':'probe.kept','durable':'desk'}"));
    byte[] other =
        connected(
            Users.OPAQUE + Users.TWIN,
            text("{'type':'delete','ref':1,'topic':'probe.kept','durable':'desk'}"));
    return Script.of(number -> number % 2 == 0 ? owner : other)
        .leaving(Script.End.REFUSED)
        .atMost("subscription-in-use", 0)
        .atMost("{\"type\":\"deleted\"", 0);
  }

  static Script invalidTokens() {
    return Script.of(number -> connected("invalid-" + number));
  }

  static Script streamBodies() {
    byte[] body = new byte[STREAM_BYTES - 1];
    Arrays.fill(body, (byte) '\n');
    return Script.of(Bytes.join(Bytes.streamRequest(STREAM_BYTES), body));
  }

  static Script ownHost() {
    return Script.of(Bytes.handshake("Origin: http://node", "X-Forwarded-Proto: https"))
        .leaving(Script.End.ANSWERED);
  }
}
