package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.Problem;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for the settings of the broker. */
final class BrokerRulesTest {
  private static List<String> found(String text) {
    ConfigFindings findings = FoundProblems.reading(text);
    BrokerRules.check(findings);
    return findings.problems().stream().map(Problem::toString).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "broker.canary.prefix: 'a.>' | broker.canary.prefix: \"a.>\" is not a plain topic; expected"
            + " levels of letters, digits, - and _, joined by dots, or an empty text",
        "{broker.durable: [a.>], journal.folder: j} | broker.client-id: is empty, but"
            + " broker.durable needs it; expected a name that is unique to this node and never"
            + " changes",
        "{broker.durable: [a.>], broker.client-id: n} | journal.folder: is empty, but"
            + " broker.durable needs it; expected a folder on a local disk",
        "{broker: {durable: [a], client-id: n}, journal.folder: j, history.messages: 0} |"
            + " history.messages: is 0, but broker.durable needs a topic log; expected 1 or more",
        "{broker: {durable: [a], client-id: n}, journal.folder: j, resume.margin: 900ms} |"
            + " resume.margin: 900ms is too short for broker.durable; expected 1s or more",
        "{broker: {durable: [a], client-id: n, canary.prefix: ''}, journal.folder: j} |"
            + " broker.canary.prefix: is empty, but broker.durable needs it; expected the first"
            + " levels of topics that clients do not use",
        "broker.provider: factory | broker.connection-factory: is empty, but broker.provider"
            + " factory needs it; expected the class name of a ConnectionFactory",
        "broker.connection-factory: X | broker.connection-factory: has no effect with"
            + " broker.provider artemis; expected broker.provider factory or jndi",
        "broker: {provider: jndi, jars: /no/such} | broker.jars: \"/no/such\" is not a folder;"
            + " expected an existing folder",
        "broker: {provider: jndi, wildcards: {rests: a}} | broker.wildcards: \"rests\" is unknown;"
            + " did you mean rest?; expected level, rest and separator",
        "broker: {provider: jndi, wildcards: {rest: ''}} | broker.wildcards: rest is \"\"; expected"
            + " characters other than letters, digits, - and _",
        "broker: {provider: jndi, wildcards: {level: '%A'}} | broker.wildcards: level is \"%A\";"
            + " expected characters other than letters, digits, - and _",
        "broker: {provider: jndi, wildcards: {separator: _}} | broker.wildcards: separator is"
            + " \"_\"; expected characters other than letters, digits, - and _",
        "broker.url: broker | broker.url: \"broker\" is not a broker URL; expected a URL such as"
            + " tcp://broker.example.com:61616",
        "broker.url: 'http://b:1' | broker.url: \"http://b:1\" is not a broker URL; expected a URL"
            + " such as tcp://broker.example.com:61616",
        "broker.url: 'tcp:/b:1' | broker.url: \"tcp:/b:1\" is not a host and a port; expected a URL"
            + " such as tcp://broker.example.com:61616",
        "broker.url: '(tcp://a:1,tcp:b:1)' | broker.url: \"tcp:b:1\" is not a host and a port;"
            + " expected a URL such as tcp://broker.example.com:61616",
        "broker: {provider: amqp, url: 'amqp:/b'} | broker.url: \"amqp:/\" is not a host and a"
            + " port; expected a URL such as amqp://broker.example.com",
        "broker: {provider: classic, url: 'failover:(tcp://a:1,ssl://b)?jms.password=x'} |"
            + " broker.url: \"ssl://b\" is not a host and a port; expected a URL such as"
            + " tcp://broker.example.com:61616",
      })
  void shouldReportProblemsBetweenSettings(String text, String problem) {
    assertThat(found(text)).singleElement().asString().startsWith("f:1:").endsWith(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "broker.url: ''",
        "broker.url: 'tcp://[::1]:61616?sslEnabled=true'",
        "broker.url: '(tcp://a:1,tcp://b:2)?ha=true'",
        "broker: {provider: classic, url: 'failover:(nio+ssl://a:1?x=tcp://c,tcp://b:2)'}",
        "broker: {provider: classic, url: 'discovery:(multicast://default)'}",
        "broker.url: '(tcp://artemis-amqp:61616,tcp://amqp:1,tcp://my-tcp:2)'",
        "broker: {provider: amqp, url: 'failover:(amqp://amqp,amqps://b-amqp:1)?amqp.x=amqp:'}",
        "broker: {provider: jndi, url: whatever}",
      })
  void shouldAcceptUrls(String text) {
    assertThat(found(text)).isEmpty();
  }
}
