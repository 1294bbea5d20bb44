package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.SpecDocument;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.testkit.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/reference/asyncapi.yaml, the frames of golden.json, and PROTOCOL.md. */
class AsyncApiTest {
  private static final SpecDocument DOCUMENT = SpecDocument.read("asyncapi.yaml");
  private static final Path PAGE = Path.of("..", "docs", "PROTOCOL.md");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Link of the specification to a frame. */
  private static final Pattern LINK =
      Pattern.compile("\\[`([a-z-]+)`]\\(/reference/messages#([a-z-]+)\\)");

  private static final Pattern FRAME =
      Pattern.compile("(?s)`(\\{\"type\":\"[^`]*?})`|```json\n(\\{\"type\":.*?)```");

  /** Senders of frames. */
  private enum Sender {
    CLIENT(
        "receive",
        List.of(
            "client",
            "publishes",
            "clientTagged",
            "clientQueues",
            "clientDurables",
            "clientTransactions",
            "clientPresence",
            "clientCompressed",
            "requests"),
        "## 3."),
    NODE(
        "send",
        List.of("server", "messages", "tagged", "queues", "deliveries", "replies", "presence"),
        "## 4.");

    private final String action;
    private final List<String> sections;
    private final String heading;

    Sender(String action, List<String> sections, String heading) {
      this.action = action;
      this.sections = sections;
      this.heading = heading;
    }

    /** Returns the frames of golden.json. */
    List<JsonNode> golden() {
      return sections.stream()
          .flatMap(Golden::section)
          .map(entry -> json((entry.has("text") ? entry.get("text") : entry.get("json")).asText()))
          .toList();
    }

    /** Returns the types of the text frames in the operations of the document. */
    Set<String> types() {
      return DOCUMENT
          .root()
          .get("operations")
          .valueStream()
          .flatMap(
              operation ->
                  operation.get("action").asText().equals(action)
                      ? operation.get("messages").valueStream()
                      : operation.at("/reply/messages").valueStream())
          .map(message -> DOCUMENT.resolved(message))
          .filter(message -> message.has("payload"))
          .map(message -> message.at("/payload/properties/type/const").asText())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + text, e);
    }
  }

  private static String type(JsonNode frame) {
    return frame.get("type").asText();
  }

  private static JsonNode payload(String type) {
    return DOCUMENT.root().at("/components/messages/" + type + "/payload");
  }

  private static Set<String> members(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @EnumSource
  void shouldDescribeTheTypesOfTheGoldenFrames(Sender sender) {
    assertThat(sender.types())
        .isEqualTo(
            sender.golden().stream()
                .map(AsyncApiTest::type)
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  @ParameterizedTest
  @EnumSource
  void shouldDescribeTheTypesOfTheSpecification(Sender sender) throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("\n" + sender.heading);
    String section = page.substring(begin, page.indexOf("\n## ", begin + 1));
    List<MatchResult> links = LINK.matcher(section).results().toList();
    assertThat(links).allSatisfy(link -> assertThat(link.group(2)).isEqualTo(link.group(1)));
    assertThat(links.stream().map(link -> link.group(1)))
        .containsExactlyInAnyOrderElementsOf(sender.types());
  }

  @ParameterizedTest
  @EnumSource
  void shouldAcceptTheGoldenFrames(Sender sender) {
    assertThat(sender.golden()).allSatisfy(AsyncApiTest::assertValid);
  }

  @ParameterizedTest
  @EnumSource
  void shouldDescribeExactlyTheMembersOfTheGoldenFrames(Sender sender) {
    Map<String, Set<String>> used =
        sender.golden().stream()
            .collect(
                Collectors.groupingBy(
                    AsyncApiTest::type,
                    Collectors.flatMapping(frame -> members(frame).stream(), Collectors.toSet())));
    used.forEach(
        (type, names) ->
            assertThat(members(payload(type).get("properties"))).as(type).isEqualTo(names));
  }

  @Test
  void shouldAcceptTheFramesOfTheSpecification() throws IOException {
    List<JsonNode> frames =
        FRAME.matcher(Files.readString(PAGE)).results().map(AsyncApiTest::frame).toList();
    assertThat(frames).hasSizeGreaterThan(10).allSatisfy(AsyncApiTest::assertValid);
  }

  private static JsonNode frame(MatchResult found) {
    return json(found.group(1) == null ? found.group(2) : found.group(1));
  }

  private static void assertValid(JsonNode frame) {
    assertThat(DOCUMENT.violations(payload(type(frame)), frame)).as(frame.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"tagged\":true}",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"where\":\"b = 1\"}",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"rate\":0}",
        "{\"type\":\"subscribe\",\"topic\":\"a\",\"from\":{\"epoch\":\"1f0a6c2b9d3e4f58\"}}",
        "{\"type\":\"unsubscribe\",\"ref\":1}",
        "{\"type\":\"publish\",\"topic\":\"a\",\"payload\":1}",
        "{\"type\":\"request\",\"topic\":\"a\",\"payload\":\"\"}",
        "{\"type\":\"request\",\"ref\":1,\"topic\":\"a\",\"payload\":\"\",\"timeout\":0}",
        "{\"type\":\"consume\",\"queue\":\"a\"}",
        "{\"type\":\"consume\",\"ref\":1,\"queue\":\"a\",\"credit\":-1}",
        "{\"type\":\"consume\",\"ref\":1,\"queue\":\"a\",\"where\":\" \"}",
        "{\"type\":\"consume\",\"ref\":1,\"topic\":\"a\"}",
        "{\"type\":\"consume\",\"ref\":1,\"topic\":\"a\",\"durable\":\"b.c\"}",
        "{\"type\":\"consume\",\"ref\":1,\"topic\":\"a\",\"durable\":\"b\",\"shared\":\"c\"}",
        "{\"type\":\"consume\",\"ref\":1,\"queue\":\"a\",\"shared\":\"c\"}",
        "{\"type\":\"list\"}",
        "{\"type\":\"delete\",\"ref\":1,\"topic\":\"a\"}",
        "{\"type\":\"listed\",\"ref\":1,\"subscriptions\":[{\"topic\":\"a\"}]}",
        "{\"type\":\"ack\",\"subscription\":1,\"tag\":0}",
        "{\"type\":\"transaction\",\"ref\":1}",
        "{\"type\":\"transaction\",\"ref\":1,\"publish\":[]}",
        "{\"type\":\"transaction\",\"ack\":[{\"subscription\":1,\"tag\":1}]}",
        "{\"type\":\"transaction\",\"ref\":1,\"publish\":[{\"topic\":\"a\",\"payload\":\"\",\"id\":\"b\"}]}",
        "{\"type\":\"release\",\"tag\":1}",
        "{\"type\":\"presence\",\"topic\":\"a\"}",
        "{\"type\":\"presence\",\"ref\":1,\"topic\":\"a\",\"key\":\"\"}",
        "{\"type\":\"present\",\"topic\":\"a\",\"count\":-1}",
        "{\"type\":\"browse\",\"ref\":1,\"queue\":\"a\",\"max\":0}",
        "{\"type\":\"unsubscribed\",\"queue\":\"a\"}",
        "{\"type\":\"hello\"}",
        "{\"type\":\"pong\",\"time\":\"now\"}",
      })
  void shouldRejectInvalidFrames(String text) {
    JsonNode frame = json(text);
    assertThat(DOCUMENT.violations(payload(type(frame)), frame)).isNotEmpty();
  }

  @Test
  void shouldListTheErrorCodesAndGapReasons() {
    assertThat(words("ErrorCode"))
        .containsExactlyElementsOf(Stream.of(ErrorCode.values()).map(ErrorCode::code).toList());
    assertThat(words("GapReason"))
        .containsExactlyElementsOf(Stream.of(GapReason.values()).map(GapReason::code).toList());
    assertThat(words("ReleaseReason"))
        .containsExactlyElementsOf(
            Stream.of(ReleaseReason.values()).map(ReleaseReason::code).toList());
  }

  private static List<String> words(String schema) {
    return DOCUMENT
        .root()
        .at("/components/schemas/" + schema + "/anyOf/0/enum")
        .valueStream()
        .map(JsonNode::asText)
        .toList();
  }
}
