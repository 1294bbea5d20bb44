package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Levels of loggers that an operator changes at a real node. */
@Timeout(180)
final class LoggersIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAME = "io.sluice.test.loggers";

  private final Logger logger = LoggerFactory.getLogger(NAME);
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private TestNode node;

  @BeforeEach
  void start() {
    node =
        TestNode.start(
            TestNode.config("artemis", "tcp://127.0.0.1:1")
                .with(AdminSettings.AUDIT_FILE, folder.resolve("audit").toString()));
  }

  @AfterEach
  void stop() throws Exception {
    put("{'logger':'" + NAME + "','level':'configured'}");
    node.close();
  }

  private HttpResponse<String> send(String method, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + node.gateway().adminPort() + "/loggers"))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
            .build();
    return AdminOpenApi.checked(http.send(request, BodyHandlers.ofString()));
  }

  private HttpResponse<String> put(String body) throws Exception {
    return send("PUT", body);
  }

  private JsonNode entry() throws Exception {
    for (JsonNode each : JSON.readTree(send("GET", "").body()).get("loggers")) {
      if (each.get("logger").asText().equals(NAME)) {
        return each;
      }
    }
    return null;
  }

  @Test
  void shouldChangeALevelAndEndTheChange() throws Exception {
    assertThat(logger.isTraceEnabled()).isFalse();
    assertThat(entry()).isNull();

    JsonNode changed = JSON.readTree(put("{'logger':'" + NAME + "','level':'trace'}").body());

    assertThat(changed.get("level").asText()).isEqualTo("trace");
    assertThat(changed.has("until")).isFalse();
    assertThat(logger.isTraceEnabled()).isTrue();
    assertThat(entry()).isEqualTo(changed);
    await()
        .until(
            () ->
                Files.readString(folder.resolve("audit"))
                    .contains("\"log-level\",\"value\":\"" + NAME + " trace\""));

    put("{'logger':'" + NAME + "','level':'configured'}");

    assertThat(logger.isTraceEnabled()).isFalse();
    assertThat(entry()).isNull();
  }

  @Test
  void shouldEndAChangeAfterItsTime() throws Exception {
    put("{'logger':'" + NAME + "','level':'trace','for':1}");

    assertThat(entry().get("until").asLong()).isGreaterThan(System.currentTimeMillis() - 60_000);
    await().until(() -> !logger.isTraceEnabled());
    assertThat(entry()).isNull();
  }

  @Test
  void shouldNotEndALaterChange() throws Exception {
    put("{'logger':'" + NAME + "','level':'debug','for':1}");
    put("{'logger':'" + NAME + "','level':'trace'}");
    put("{'logger':'" + NAME + ".below','level':'trace','for':1}");

    await().until(() -> !send("GET", "").body().contains(NAME + ".below"));

    assertThat(logger.isTraceEnabled()).isTrue();
  }

  @Test
  void shouldRefuseMoreChangesThanTheLimit() throws Exception {
    for (int i = 0; i < LogLevels.MAX; i++) {
      assertThat(put("{'logger':'" + NAME + ".n" + i + "','level':'debug'}").statusCode())
          .isEqualTo(200);
    }
    HttpResponse<String> refused = put("{'logger':'" + NAME + ".more','level':'debug'}");
    for (int i = 0; i < LogLevels.MAX; i++) {
      put("{'logger':'" + NAME + ".n" + i + "','level':'configured'}");
    }

    assertThat(refused.statusCode()).isEqualTo(507);
    assertThat(refused.body())
        .isEqualTo("the levels of 100 loggers are changed; reset one first\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | the body is not a JSON object",
        "{'level':'debug'} | logger is missing or not a text",
        "{'logger':1,'level':'debug'} | logger is missing or not a text",
        "{'logger':'a b','level':'debug'} | the logger is not a name such as"
            + " io.sluice.gateway.hub, of at most 200 characters",
        "{'logger':'a','level':'loud'} | \"loud\" is not a level; expected one of error, warn,"
            + " info, debug, trace",
        "{'logger':'a','level':'trace'} | trace is allowed for io.sluice and loggers below it only",
        "{'logger':'org.apache.commons.beanutils.X','level':'debug'} |"
            + " org.apache.commons.beanutils.X would log passwords at level debug; allowed are"
            + " error and warn",
        "{'logger':'a','level':'debug','for':0} | for is not a whole number of seconds from 1 to"
            + " 604800",
        "{'logger':'a','level':'debug','for':604801} | for is not a whole number of seconds from 1"
            + " to 604800",
        "{'logger':'a','level':'debug','more':1} | a member is unknown; expected logger, level and"
            + " for"
      })
  void shouldRejectInvalidBodies(String body, String message) throws Exception {
    HttpResponse<String> answer = put(body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo(message + "\n");
  }
}
