package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKdc;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.JmsResponder;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Product of rule kinds, credentials, transports and operations at one node, after reloads,
 * refreshes, revocations and expiry. Node, {@code /why}, {@code /clients} and the preview of a
 * reload give the same answer.
 */
@Timeout(600)
final class PermissionMatrixIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final List<String> OPERATIONS =
      List.of("subscribe", "publish", "send", "consume", "browse", "durable", "shared", "presence");

  private static final String COOKIE = "matrix-token";
  private static final String SERVICE = "HTTP/localhost@" + TestKdc.REALM;
  private static final String TICKET_USER = "ticket-user";

  private static final Set<Credential> TOKENS = EnumSet.of(Credential.JWT, Credential.OPAQUE);
  private static final Set<Credential> LISTED =
      EnumSet.of(Credential.JWT, Credential.OPAQUE, Credential.CERTIFICATE);
  private static final Set<Credential> NAMED =
      EnumSet.complementOf(EnumSet.of(Credential.ANONYMOUS));

  /** Claims of tokens: text, list, number, placeholder, patterns. */
  private static final Map<Kind, Map<String, Object>> CLAIMS =
      Map.of(
          Kind.TEXT, Map.of("team", "fx"),
          Kind.LIST, Map.of("roles", List.of("viewer", "trader")),
          Kind.NUMBER, Map.of("level", 7),
          Kind.PLACEHOLDER, Map.of("desk", List.of("d1")),
          Kind.CLAIM, Map.of("own", own()));

  /** Probes of single operations: T is a topic of the rule's kind, ID the client's. */
  private static final Map<String, String> PROBES =
      new TreeMap<>(
          Map.of(
              "subscribe", "'type':'subscribe','topic':'T.one'",
              "pattern", "'type':'subscribe','topic':'T.some.*'",
              "consume", "'type':'consume','queue':'T.takenID','credit':0",
              "browse", "'type':'browse','queue':'T.takenID'",
              "durable", "'type':'consume','topic':'T.kept','durable':'m','credit':0",
              "shared", "'type':'consume','topic':'T.kept','shared':'m','credit':0",
              "publish", "'type':'publish','topic':'T.out','payload':'x'",
              "send", "'type':'publish','queue':'T.answersID','payload':'x'",
              "request", "'type':'request','queue':'T.asked','payload':'x','timeout':60000",
              "presence", "'type':'presence','topic':'T.room','members':true"));

  /** Uses that last: by the number within the refs of their kind. */
  private static final Map<Integer, String> USES =
      new TreeMap<>(
          Map.of(
              1, "'type':'subscribe','topic':'T.sub'",
              3, "'type':'subscribe','topic':'T.pattern.>'",
              4, "'type':'presence','topic':'T.watched','watch':true,'members':true",
              5, "'type':'consume','topic':'T.kept','durable':'m'",
              6, "'type':'consume','topic':'T.kept','shared':'m'",
              7, "'type':'consume','queue':'T.qID','credit':10"));

  /** Probes of operations that an HTTP stream has; it cannot settle messages. */
  private static final Set<String> OF_STREAMS =
      Set.of("subscribe", "pattern", "browse", "publish", "send", "request", "presence");

  /** Codes of answers to probes. Those of the broker show that the node permits the operation. */
  private static final List<String> ANSWERS =
      List.of("", "forbidden", "unknown-queue", "unknown-topic");

  /** Uses of a stream, which sends nothing after its request. */
  private static final int STREAM_USES = 4;

  private static final int QUEUE_USE = 7;

  /** Number of refs of one rule kind. */
  private static final int REFS = 20;

  private static final int MARKER_REF = 900;

  @TempDir private static Path folder;
  private static TestIssuer issuer;
  private static TestBroker broker;
  private static TestPublisher publisher;
  private static TestAuthority authority;
  private static Issued identity;
  private static Issued certificate;
  private static TestNode node;
  private static final List<JmsResponder> responders = new ArrayList<>();
  private static TestKdc kdc;
  private static Path keytab;
  private static Path serviceKeytab;
  private static int markers;
  private static int names;

  private final List<Client> clients = new ArrayList<>();

  private enum Credential {
    ANONYMOUS,
    JWT,
    OPAQUE,
    CERTIFICATE,
    /** Kerberos ticket; left out without a KDC. */
    TICKET
  }

  /** Places of a token. */
  private enum Place {
    FRAME,
    HEADER,
    COOKIE
  }

  private enum Transport {
    WEBSOCKET,
    STREAM,
    /** WebSocket of several users, which have tagged subscriptions. */
    SHARED
  }

  /** Kinds of rules. Each grants all operations below one level. */
  private enum Kind {
    EVERYBODY("all", EnumSet.allOf(Credential.class), rule("", "all")),
    TEXT(
        "text",
        NAMED,
        rule("{team: fx}", "text"),
        rule("{subject: CN=certificate}", "text"),
        rule("{realm: " + TestKdc.REALM + "}", "text")),
    LIST("list", LISTED, rule("{roles: trader}", "list"), rule("{cn: certificate}", "list")),
    NUMBER("number", TOKENS, rule("{level: '7'}", "number")),
    PLACEHOLDER(
        "filled",
        NAMED,
        rule("", "filled.{desk}"),
        rule("", "filled.{cn}"),
        rule("{realm: " + TestKdc.REALM + "}", "filled.{sub}")),
    CLAIM("own", TOKENS);

    private final String level;
    private final Set<Credential> credentials;
    private final List<String> rules;

    Kind(String level, Set<Credential> credentials, String... rules) {
      this.level = level;
      this.credentials = credentials;
      this.rules = List.of(rules);
    }

    private static String rule(String condition, String level) {
      String granted =
          OPERATIONS.stream()
              .map(each -> each + ": [\"" + level + ".>\"]")
              .collect(Collectors.joining(", "));
      return "  - {" + (condition.isEmpty() ? "" : "if: " + condition + ", ") + granted + "}\n";
    }

    /** Returns the level below which a client may do everything. */
    String topic(Credential credential) {
      String filled =
          switch (credential) {
            case CERTIFICATE -> "certificate";
            case TICKET -> TICKET_USER;
            default -> "d1";
          };
      return this == PLACEHOLDER ? level + "." + filled : level;
    }

    int ref(int number) {
      return ordinal() * REFS + number;
    }
  }

  private static Map<String, List<String>> own() {
    return OPERATIONS.stream().collect(Collectors.toMap(each -> each, each -> List.of("own.>")));
  }

  @BeforeAll
  static void start() throws Exception {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    authority = TestAuthority.create(folder, "authority");
    identity = authority.issue("node", "CN=node", "SAN=ip:127.0.0.1,dns:localhost");
    certificate = authority.issue("certificate", "CN=certificate");
    broker = TestBroker.start("artemis");
    publisher = new TestPublisher(broker.provider(), broker.url());
    startKdc();
    for (Kind kind : Kind.values()) {
      for (String topic : kind.credentials.stream().map(kind::topic).distinct().toList()) {
        responders.add(JmsResponder.ofQueue(broker, topic + ".asked", JmsResponder.text("x")));
      }
    }
    write(EnumSet.noneOf(Kind.class), "");
    ConfigDraft draft = read();
    node = TestNode.start(draft.config());
    node.gateway().reloadFrom(PermissionMatrixIT::read, any -> {});
    node.awaitReady();
  }

  private static void startKdc() throws Exception {
    kdc = TestKdc.start(Files.createDirectory(folder.resolve("kdc"))).orElse(null);
    if (kdc != null) {
      String user = TICKET_USER + "@" + TestKdc.REALM;
      kdc.add(SERVICE, user);
      keytab = kdc.keytab(user);
      serviceKeytab = kdc.keytab(SERVICE);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    for (JmsResponder responder : responders) {
      responder.close();
    }
    if (kdc != null) {
      kdc.close();
    }
    publisher.close();
    node.close();
    broker.close();
    issuer.close();
  }

  /** Opens a client of each credential and transport. */
  @BeforeEach
  void open() throws Exception {
    write(EnumSet.noneOf(Kind.class), "");
    reload();
    for (Credential credential : Credential.values()) {
      for (Transport transport : Transport.values()) {
        if (credential != Credential.TICKET || kdc != null) {
          clients.add(new Client(credential, transport, 3_600));
        }
      }
    }
  }

  @AfterEach
  void close() {
    clients.forEach(Client::close);
    clients.clear();
  }

  private static Path file() {
    return folder.resolve("sluice.yaml");
  }

  private static ConfigDraft read() {
    return ConfigFile.read(file(), name -> null);
  }

  /** Writes the configuration without the rules of some kinds. */
  private static void write(Set<Kind> removed, String further) throws IOException {
    String rules =
        Arrays.stream(Kind.values())
            .filter(kind -> !removed.contains(kind))
            .flatMap(kind -> kind.rules.stream())
            .collect(Collectors.joining());
    Files.writeString(
        file(),
        """
        admin.port: 0
        server.host: 127.0.0.1
        server.port: 0
        server.tls.certificate: %s
        server.tls.key: %s
        server.tls.client-auth: optional
        server.tls.client-ca: %s
        auth.anonymous: true
        auth.cookie: matrix-token
        %s
        auth.jwt.jwks-url: %s
        auth.introspection.url: %s
        auth.introspection.client-id: matrix
        auth.introspection.client-secret: secret-of-the-node
        broker.url: %s
        topics.presence: [">"]
        limits.consumers: 200
        %s
        %s
        permissions.rules:
          - {subscribe: ["mark.>"]}
        %s
        """
            .formatted(
                identity.certificate(),
                identity.key(),
                authority.certificate(),
                kerberos(),
                issuer.jwksUrl(),
                issuer.introspectionUrl(),
                broker.url(),
                further,
                removed.contains(Kind.CLAIM) ? "" : "permissions.claim: own",
                rules));
  }

  private static String kerberos() {
    return kdc == null
        ? ""
        : """
        auth.kerberos.keytab: %s
        auth.kerberos.principal: [%s]
        auth.kerberos.local-realm: %s
        """
            .formatted(serviceKeytab, SERVICE, TestKdc.REALM)
            .strip();
  }

  private static JsonNode reload() throws IOException {
    return command("/reload");
  }

  private static JsonNode command(String path) throws IOException {
    HttpResponse<String> answer = node.command(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static String json(String members) {
    return "{" + members.replace('\'', '"') + "}";
  }

  private static String ticket() {
    try {
      byte[] ticket = kdc.ticket(keytab, TICKET_USER + "@" + TestKdc.REALM, SERVICE);
      return Base64.getEncoder().encodeToString(ticket);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String token(
      Credential credential, String subject, String id, Set<Kind> without, long seconds) {
    Map<String, Object> all = new TreeMap<>();
    CLAIMS.forEach(
        (kind, claims) -> {
          if (!without.contains(kind)) {
            all.putAll(claims);
          }
        });
    if (credential == Credential.JWT) {
      JwtClaims claims = TestKey.claims();
      claims.setSubject(subject);
      claims.setJwtId(id);
      claims.setExpirationTime(TestKey.inSeconds(seconds));
      all.forEach(claims::setClaim);
      return KEY.sign(claims);
    }
    all.put("active", true);
    all.put("sub", subject);
    all.put("jti", id);
    all.put("exp", System.currentTimeMillis() / 1000 + seconds);
    try {
      issuer.introspection(JSON.writeValueAsString(all));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "opaque-" + id;
  }

  /** Client with one open use of each kind that is granted to it. */
  private final class Client implements AutoCloseable {
    private final Credential credential;
    private final Transport transport;
    private final String subject;
    private final String id = "-" + ++names;
    private final Place place;
    private final RawWebSocket socket;
    private final String session;

    /** Identifier of the latest token. */
    private String tokenId = "";

    /** Frames that were read and do not answer a request. */
    private final List<JsonNode> events = new ArrayList<>();

    Client(Credential credential, Transport transport, long seconds) {
      this.credential = credential;
      this.transport = transport;
      this.subject =
          switch (credential) {
            case ANONYMOUS -> "";
            case CERTIFICATE -> "certificate";
            case TICKET -> TICKET_USER;
            default -> credential + "-" + transport;
          };
      this.place = Place.values()[names % Place.values().length];
      String token = TOKENS.contains(credential) ? token(Set.of(), seconds) : "";
      List<String> frames = new ArrayList<>();
      frames.add(connect(token));
      frames.add(json("'type':'subscribe','ref':" + MARKER_REF + ",'topic':'mark.x'"));
      for (Kind kind : granted()) {
        frames.addAll(uses(kind));
      }
      boolean stream = transport == Transport.STREAM;
      RawWebSocket.Request request =
          stream
              ? node.stream(frames.toArray(String[]::new))
              : node.request().subprotocols(Encoding.JSON_SUBPROTOCOL);
      socket = open(request, token);
      if (!stream) {
        frames.forEach(socket::text);
      }
      session = socket.await("hello").get("session").asText();
      answer(MARKER_REF);
      for (Kind kind : granted()) {
        awaitUses(kind);
      }
    }

    private String connect(String token) {
      return json(
          "'type':'connect'"
              + (token.isEmpty() || place != Place.FRAME ? "" : ",'token':'" + token + "'"));
    }

    private RawWebSocket open(RawWebSocket.Request request, String token) {
      boolean certified = credential == Credential.CERTIFICATE;
      request.tls(certified ? certificate.context() : authority.trust());
      if (credential == Credential.TICKET) {
        request.set("Authorization", "Negotiate " + ticket());
      } else if (!token.isEmpty() && place == Place.HEADER) {
        request.set("Authorization", "Bearer " + token);
      } else if (!token.isEmpty() && place == Place.COOKIE) {
        request.set("Cookie", COOKIE + "=" + token);
      }
      return request.timeout(Duration.ofMinutes(2)).open();
    }

    /** Returns a token of all claims but those of some kinds. */
    String token(Set<Kind> without, long seconds) {
      tokenId = subject + ++names;
      return PermissionMatrixIT.token(credential, subject, tokenId, without, seconds);
    }

    boolean sends() {
      return transport != Transport.STREAM;
    }

    Set<Kind> granted() {
      return Arrays.stream(Kind.values())
          .filter(kind -> kind.credentials.contains(credential))
          .collect(Collectors.toCollection(() -> EnumSet.noneOf(Kind.class)));
    }

    boolean has(Kind kind) {
      return kind.credentials.contains(credential);
    }

    /** Returns the refs of the uses of a kind. */
    Set<Integer> refs(Kind kind) {
      Set<Integer> refs = new TreeSet<>();
      USES.keySet().stream()
          .filter(number -> sends() || number <= STREAM_USES)
          .forEach(number -> refs.add(kind.ref(number)));
      if (transport == Transport.SHARED) {
        refs.add(kind.ref(2));
      }
      return refs;
    }

    private List<String> uses(Kind kind) {
      return refs(kind).stream()
          .map(
              ref -> {
                int number = ref - kind.ref(0);
                boolean tagged = transport == Transport.SHARED && number <= 3;
                return frame(kind, USES.get(number == 2 ? 1 : number), ref, tagged);
              })
          .toList();
    }

    private String frame(Kind kind, String members, int ref, boolean tagged) {
      String named = members.replace("T.", kind.topic(credential) + ".").replace("ID", id);
      return json(named + ",'ref':" + ref + (tagged ? ",'tagged':true" : ""));
    }

    /** Opens the uses of a kind again. */
    void reopen(Kind kind) {
      if (sends()) {
        uses(kind).forEach(socket::text);
        awaitUses(kind);
      }
    }

    private void awaitUses(Kind kind) {
      for (int ref : refs(kind)) {
        JsonNode answer = answer(ref);
        assertThat(answer.get("type").asText()).as(this + ": " + answer).isNotEqualTo("error");
      }
    }

    /** Returns the answer to a request. */
    JsonNode answer(int ref) {
      for (JsonNode event : events) {
        if (isAnswer(event, ref)) {
          events.remove(event);
          return event;
        }
      }
      JsonNode frame = socket.readJson();
      while (!isAnswer(frame, ref)) {
        events.add(frame);
        frame = socket.readJson();
      }
      return frame;
    }

    private static boolean isAnswer(JsonNode frame, int ref) {
      return frame.path("ref").asInt(-1) == ref
          && !Set.of("message", "delivery").contains(frame.get("type").asText());
    }

    /** Returns the frames until a marker that is published now. */
    List<JsonNode> eventsUntilMarker(String marker) {
      List<JsonNode> found = new ArrayList<>(events);
      events.clear();
      while (found.stream().noneMatch(frame -> isMessage(frame, "mark.x", marker))) {
        found.add(socket.readJson());
      }
      return found;
    }

    /** Returns which probes are allowed: operations of kinds. */
    Set<String> allowed(Set<Kind> kinds) {
      Set<String> allowed = new TreeSet<>();
      for (Kind kind : kinds) {
        int ref = MARKER_REF;
        for (String members : PROBES.values()) {
          socket.text(frame(kind, members, ++ref, true));
        }
        ref = MARKER_REF;
        for (String operation : PROBES.keySet()) {
          if (isAllowed(answer(++ref), operation)) {
            allowed.add(kind + " " + operation);
            if (List.of("consume", "durable", "shared", "subscribe", "pattern")
                .contains(operation)) {
              socket.text(json("'type':'unsubscribe','ref':1,'subscription':" + ref));
            }
          }
        }
        if (responds(kind)) {
          allowed.add(kind + " respond");
        }
      }
      return allowed;
    }

    /** The same for a stream: with its credential, in another request. */
    Set<String> allowedInStream(Set<Kind> kinds) {
      Set<String> allowed = new TreeSet<>();
      for (Kind kind : kinds) {
        String token = TOKENS.contains(credential) ? token(Set.of(), 3_600) : "";
        List<String> frames = new ArrayList<>(List.of(connect(token)));
        int ref = MARKER_REF;
        for (String members : PROBES.values()) {
          frames.add(frame(kind, members, ++ref, true));
        }
        try (RawWebSocket stream = open(node.stream(frames.toArray(String[]::new)), token)) {
          Map<Integer, JsonNode> answers = new TreeMap<>();
          while (answers.size() < PROBES.size()) {
            JsonNode answer = stream.readJson();
            if (answer.has("ref") && !answer.get("type").asText().equals("message")) {
              answers.put(answer.get("ref").asInt(), answer);
            }
          }
          ref = MARKER_REF;
          for (String operation : PROBES.keySet()) {
            JsonNode answer = answers.get(++ref);
            if (!OF_STREAMS.contains(operation)) {
              assertThat(answer.path("code").asText()).as(this + "").isEqualTo("unsupported");
            } else if (isAllowed(answer, operation)) {
              allowed.add(kind + " " + operation);
            }
          }
        }
      }
      return allowed;
    }

    private boolean isAllowed(JsonNode answer, String operation) {
      String code = answer.path("code").asText("");
      assertThat(code).as(this + " " + operation + ": " + answer).isIn(ANSWERS);
      return !code.equals("forbidden");
    }

    /** Consumes a message of the client's own and answers it. */
    private boolean responds(Kind kind) {
      int ref = kind.ref(QUEUE_USE);
      String question =
          "'type':'publish','queue':'T.qID','payload':'x','replyTo':{'queue':'T.answersID'}";
      socket.text(frame(kind, question, MARKER_REF + 50, false));
      long tag = 1;
      if (isAllowed(answer(MARKER_REF + 50), "respond")) {
        tag = delivery(ref).get("tag").asLong();
      }
      String answer = "'type':'respond','payload':'x','subscription':" + ref + ",'tag':" + tag;
      socket.text(frame(kind, answer, MARKER_REF + 51, false));
      JsonNode result = answer(MARKER_REF + 51);
      if (result.path("code").asText().equals("not-pending")) {
        return false;
      }
      assertThat(result.get("type").asText()).as(this + ": " + result).isEqualTo("published");
      socket.text(json("'type':'ack','subscription':" + ref + ",'tag':" + tag));
      return true;
    }

    private JsonNode delivery(int ref) {
      for (JsonNode event : events) {
        if (isDelivery(event, ref)) {
          events.remove(event);
          return event;
        }
      }
      JsonNode frame = socket.readJson();
      while (!isDelivery(frame, ref)) {
        events.add(frame);
        frame = socket.readJson();
      }
      return frame;
    }

    private static boolean isDelivery(JsonNode frame, int ref) {
      return frame.get("type").asText().equals("delivery") && frame.get("ref").asInt() == ref;
    }

    /**
     * Returns the kinds whose topics the node, /why and /clients call permitted; all must agree.
     */
    Set<Kind> permitted() throws IOException {
      JsonNode client = query("/clients/" + session);
      Set<Kind> permitted = EnumSet.noneOf(Kind.class);
      for (Kind kind : Kind.values()) {
        String pattern = kind.topic(credential) + ".>";
        Set<String> operations = new TreeSet<>();
        client
            .get("permissions")
            .properties()
            .forEach(
                each -> {
                  if (each.getValue().toString().contains("\"" + pattern + "\"")) {
                    operations.add(each.getKey());
                  }
                });
        boolean why = isPermittedByWhy(kind.topic(credential) + ".sub");
        assertThat(operations)
            .as(this + " " + kind)
            .containsExactlyInAnyOrderElementsOf(why ? OPERATIONS : List.of());
        if (why) {
          permitted.add(kind);
        }
      }
      return permitted;
    }

    private boolean isPermittedByWhy(String topic) throws IOException {
      String query =
          "/why?subject=" + URLEncoder.encode(subject, StandardCharsets.UTF_8) + "&topic=" + topic;
      for (JsonNode step : query(query).get("steps")) {
        if (step.get("session").asText().equals(session)
            && step.get("step").asText().equals("permission")) {
          return step.get("result").asText().equals("ok");
        }
      }
      throw new AssertionError("no permission step of " + this);
    }

    @Override
    public String toString() {
      return credential + " " + transport;
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static JsonNode query(String path) throws IOException {
    HttpResponse<String> answer = node.admin(path);
    assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static boolean isMessage(JsonNode frame, String topic, String payload) {
    return frame.get("type").asText().equals("message")
        && frame.get("topic").asText().equals(topic)
        && frame.get("payload").asText().equals(payload);
  }

  private static Set<Integer> ended(List<JsonNode> events) {
    return events.stream()
        .filter(frame -> frame.get("type").asText().equals("error"))
        .peek(frame -> assertThat(frame.get("code").asText()).isEqualTo("forbidden"))
        .map(frame -> frame.get("ref").asInt())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String mark() throws Exception {
    String marker = "marker " + ++markers;
    publisher.text("mark.x", marker);
    return marker;
  }

  /** Checks that each client has lost exactly one kind, or nothing. */
  private void checkEnded(Kind lost) throws Exception {
    String marker = mark();
    for (Client client : clients) {
      Set<Integer> expected =
          lost != null && client.has(lost) ? client.refs(lost) : Set.<Integer>of();
      assertThat(ended(client.eventsUntilMarker(marker))).as(client + "").isEqualTo(expected);
    }
  }

  private void checkReceivesNothing(Kind lost) throws Exception {
    for (Credential credential : lost.credentials) {
      publisher.text(lost.topic(credential) + ".sub", "withdrawn");
    }
    String marker = mark();
    for (Client client : clients) {
      String topic = lost.topic(client.credential) + ".sub";
      assertThat(client.eventsUntilMarker(marker))
          .as(client + "")
          .noneMatch(frame -> isMessage(frame, topic, "withdrawn"));
    }
  }

  /** Checks that node, /why and /clients agree for each client. */
  private void checkPermitted(Set<Kind> probed, Kind lost) throws Exception {
    for (Client client : clients) {
      Set<Kind> expected = client.granted();
      expected.remove(lost);
      assertThat(client.permitted()).as(client + "").isEqualTo(expected);
      expected.retainAll(probed);
      if (client.sends()) {
        assertThat(client.allowed(probed)).as(client + "").isEqualTo(operations(expected));
      } else {
        Set<String> operations = operations(expected);
        operations.removeIf(each -> !OF_STREAMS.contains(each.split(" ")[1]));
        assertThat(client.allowedInStream(probed)).as(client + "").isEqualTo(operations);
      }
    }
  }

  private static Set<String> operations(Set<Kind> kinds) {
    Set<String> all = new TreeSet<>();
    for (Kind kind : kinds) {
      PROBES.keySet().forEach(operation -> all.add(kind + " " + operation));
      all.add(kind + " respond");
    }
    return all;
  }

  private void checkPreview(JsonNode preview, Kind lost) {
    Map<String, Client> losing = new TreeMap<>();
    clients.stream()
        .filter(client -> client.has(lost))
        .forEach(client -> losing.put(client.session, client));
    assertThat(preview.get("losing").asInt()).isEqualTo(losing.size());
    assertThat(preview.get("sessions").findValuesAsText("session"))
        .containsExactlyInAnyOrderElementsOf(losing.keySet());
    for (JsonNode loss : preview.get("sessions")) {
      Client client = losing.get(loss.get("session").asText());
      assertThat(loss.path("subject").asText()).isEqualTo(client.subject);
      assertThat(loss.get("lost").size()).isEqualTo(OPERATIONS.size());
      assertThat(loss.get("lost"))
          .allMatch(
              each -> each.toString().equals("[\"" + lost.topic(client.credential) + ".>\"]"));
      assertThat(loss.get("ends")).as(client + "").hasSize(client.refs(lost).size());
      assertThat(loss.get("closes").asBoolean()).isFalse();
    }
  }

  static Stream<Kind> kinds() {
    return TestScope.cases(
        1, Kind.PLACEHOLDER, Kind.EVERYBODY, Kind.TEXT, Kind.LIST, Kind.NUMBER, Kind.CLAIM);
  }

  static Stream<Kind> kindsOfClaims() {
    return TestScope.cases(1, Kind.PLACEHOLDER, Kind.TEXT, Kind.LIST, Kind.NUMBER, Kind.CLAIM);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void shouldWithdrawExactlyWhatAReloadRemoves(Kind kind) throws Exception {
    Set<Kind> probed = EnumSet.of(kind, kind == Kind.EVERYBODY ? Kind.TEXT : Kind.EVERYBODY);
    write(EnumSet.of(kind), "");

    checkPreview(command("/reload?dryRun=true"), kind);

    checkEnded(null);
    reload();
    checkEnded(kind);
    checkReceivesNothing(kind);
    checkPermitted(probed, kind);
    write(EnumSet.noneOf(Kind.class), "");
    assertThat(command("/reload?dryRun=true").get("losing").asInt()).isZero();
    reload();
    clients.stream().filter(client -> client.has(kind)).forEach(client -> client.reopen(kind));
    checkPermitted(probed, null);
  }

  @Tag("full")
  @Test
  void shouldKeepEverythingAtAReloadOfOtherKeys() throws Exception {
    for (String further : List.of("log.level: warn", "limits.publish-rate: 90", "")) {
      write(EnumSet.noneOf(Kind.class), further);
      assertThat(command("/reload?dryRun=true").get("losing").asInt()).isZero();
      reload();
      checkEnded(null);
    }
    checkPermitted(EnumSet.allOf(Kind.class), null);
  }

  @ParameterizedTest
  @MethodSource("kindsOfClaims")
  void shouldFollowARefreshAlsoAfterAReload(Kind kind) throws Exception {
    for (Client client : clients) {
      if (!client.sends() || !TOKENS.contains(client.credential)) {
        continue;
      }
      refresh(client, EnumSet.of(kind));
      write(EnumSet.noneOf(Kind.class), "log.level: warn");
      reload();
      assertThat(ended(client.eventsUntilMarker(mark()))).isEqualTo(client.refs(kind));
      Set<Kind> left = client.granted();
      left.remove(kind);
      assertThat(client.permitted()).isEqualTo(left);
      assertThat(client.allowed(EnumSet.of(kind))).isEmpty();
      refresh(client, EnumSet.noneOf(Kind.class));
      client.reopen(kind);
      assertThat(client.permitted()).isEqualTo(client.granted());
      assertThat(client.allowed(EnumSet.of(kind))).isEqualTo(operations(EnumSet.of(kind)));
    }
  }

  private static void refresh(Client client, Set<Kind> without) {
    String token = client.token(without, 3_600);
    client.socket.text(
        json("'type':'refresh','ref':" + (MARKER_REF + 60) + ",'token':'" + token + "'"));
    JsonNode answer = client.answer(MARKER_REF + 60);
    assertThat(answer.get("type").asText()).as(answer.toString()).isEqualTo("refreshed");
  }

  @Tag("full")
  @Test
  void shouldEndAllSessionsOfARevokedSubject() throws Exception {
    List<Client> left = new ArrayList<>(clients);
    for (Client client : clients) {
      if (client.credential != Credential.ANONYMOUS && left.remove(client)) {
        node.revoke("subject", client.subject);
        assertThat(client.socket.awaitClose()).as(client + "").isEqualTo(4204);
        left.removeIf(other -> hasClosedWith(client, other));
        node.restore("subject", client.subject);
      }
    }
    String marker = mark();
    for (Client client : left) {
      assertThat(client.credential).isEqualTo(Credential.ANONYMOUS);
      assertThat(ended(client.eventsUntilMarker(marker))).isEmpty();
    }
  }

  @Tag("full")
  @Test
  void shouldEndTheSessionsOfARevokedCredentialAndNoOther() throws Exception {
    for (Client client : List.copyOf(clients)) {
      if (!clients.remove(client)) {
        continue;
      }
      switch (client.credential) {
        case JWT, OPAQUE -> node.revoke("token", client.tokenId);
        case CERTIFICATE -> node.revoke("certificate", certificate.serial());
        default -> node.revoke("session", client.session);
      }
      assertThat(client.socket.awaitClose()).as(client + "").isEqualTo(4204);
      client.close();
      if (client.credential == Credential.CERTIFICATE) {
        clients.removeIf(other -> hasClosedWith(client, other));
        node.restore("certificate", certificate.serial());
      }
      checkEnded(null);
    }
    assertThat(clients).isEmpty();
  }

  /** Returns whether another session has the revoked subject; it is closed, too. */
  private static boolean hasClosedWith(Client revoked, Client other) {
    boolean same = other.subject.equals(revoked.subject);
    if (same) {
      assertThat(other.socket.awaitClose()).as(other + "").isEqualTo(4204);
    }
    return same;
  }

  @Tag("full")
  @Test
  void shouldEndSessionsThatExpireAndNoOther() throws Exception {
    List<Client> expiring = new ArrayList<>();
    for (Credential credential : TOKENS) {
      for (Transport transport : Transport.values()) {
        expiring.add(new Client(credential, transport, 10));
      }
    }
    for (Client client : expiring) {
      assertThat(client.socket.awaitClose()).as(client + "").isEqualTo(4201);
      client.close();
    }
    checkEnded(null);
  }
}
