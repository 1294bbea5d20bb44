package io.sluice.gateway;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.TSFBuilder;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.testkit.PackageSizes;
import io.vertx.core.spi.json.JsonCodec;

/** Tests of the import direction between packages, and of the packages that may use a library. */
@AnalyzeClasses(packages = "io.sluice.gateway", importOptions = MainClasses.class)
final class ArchitectureTest {
  private static final String ROOT = "io.sluice.gateway";

  @ArchTest
  static final ArchRule layersImportDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
          .layer("cli")
          .definedBy(ROOT + ".cli..")
          .layer("root")
          .definedBy(ROOT)
          .layer("membership")
          .definedBy(ROOT + ".membership..")
          .layer("http")
          .definedBy(ROOT + ".http..")
          .layer("drain")
          .definedBy(ROOT + ".drain..")
          .layer("admission")
          .definedBy(ROOT + ".admission..")
          .layer("websocket")
          .definedBy(ROOT + ".websocket..")
          .layer("tls")
          .definedBy(ROOT + ".tls..")
          .layer("socket")
          .definedBy(ROOT + ".socket..")
          .layer("session")
          .definedBy(ROOT + ".session..")
          .layer("hub")
          .definedBy(ROOT + ".hub..")
          .layer("shard")
          .definedBy(ROOT + ".shard..")
          .layer("presence")
          .definedBy(ROOT + ".presence..")
          .layer("history")
          .definedBy(ROOT + ".history..")
          .layer("broker")
          .definedBy(ROOT + ".broker..")
          .layer("journal")
          .definedBy(ROOT + ".journal..")
          .layer("audit")
          .definedBy(ROOT + ".audit..")
          .layer("revocation")
          .definedBy(ROOT + ".revocation..")
          .layer("auth")
          .definedBy(ROOT + ".auth..")
          .layer("admin")
          .definedBy(ROOT + ".admin..")
          .layer("feed")
          .definedBy(ROOT + ".feed..")
          .layer("trace")
          .definedBy(ROOT + ".trace..")
          .layer("protocol")
          .definedBy(ROOT + ".protocol..")
          .layer("limits")
          .definedBy(ROOT + ".limits..")
          .layer("config")
          .definedBy(ROOT + ".config..")
          .layer("metrics")
          .definedBy(ROOT + ".metrics..")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("root")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("feed")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("membership")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("http")
          .mayOnlyBeAccessedByLayers("root", "cli", "membership")
          .whereLayer("drain")
          .mayOnlyBeAccessedByLayers("root", "membership", "http")
          .whereLayer("admission")
          .mayOnlyBeAccessedByLayers("http")
          .whereLayer("websocket")
          .mayOnlyBeAccessedByLayers("http")
          .whereLayer("tls")
          .mayOnlyBeAccessedByLayers("root", "cli", "admin", "membership", "http")
          .whereLayer("socket")
          .mayOnlyBeAccessedByLayers("root", "http", "admission")
          .whereLayer("admin")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("session")
          .mayOnlyBeAccessedByLayers("root", "http", "drain", "admission", "websocket", "admin")
          .whereLayer("hub")
          .mayOnlyBeAccessedByLayers("root", "membership", "http", "session", "admin")
          .whereLayer("shard")
          .mayOnlyBeAccessedByLayers("http", "session", "hub")
          .whereLayer("presence")
          .mayOnlyBeAccessedByLayers("root", "membership", "session")
          .whereLayer("history")
          .mayOnlyBeAccessedByLayers("hub", "shard")
          .whereLayer("broker")
          .mayOnlyBeAccessedByLayers("root", "session", "hub", "admin")
          .whereLayer("journal")
          .mayOnlyBeAccessedByLayers("root", "hub")
          .whereLayer("trace")
          .mayOnlyBeAccessedByLayers("root", "session", "hub", "shard", "history", "broker")
          .whereLayer("limits")
          .mayOnlyBeAccessedByLayers(
              "root", "http", "admission", "session", "admin", "audit", "auth", "broker")
          .whereLayer("audit")
          .mayOnlyBeAccessedByLayers("root", "http", "admission", "session", "admin", "auth")
          .whereLayer("revocation")
          .mayOnlyBeAccessedByLayers("root", "membership", "session", "admin", "auth")
          .whereLayer("auth")
          .mayOnlyBeAccessedByLayers("root", "http", "session", "admin");

  @ArchTest
  static final ArchRule baseImportsNoneOfOurs =
      noClasses()
          .that()
          .resideInAnyPackage(ROOT + ".protocol..", ROOT + ".config..", ROOT + ".metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT,
              ROOT + ".cli..",
              ROOT + ".http..",
              ROOT + ".drain..",
              ROOT + ".admission..",
              ROOT + ".websocket..",
              ROOT + ".tls..",
              ROOT + ".socket..",
              ROOT + ".session..",
              ROOT + ".hub..",
              ROOT + ".shard..",
              ROOT + ".presence..",
              ROOT + ".history..",
              ROOT + ".broker..",
              ROOT + ".journal..",
              ROOT + ".audit..",
              ROOT + ".auth..",
              ROOT + ".admin..",
              ROOT + ".membership..",
              ROOT + ".feed..");

  @ArchTest
  static final ArchRule authImportsOnlyTheBase =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".auth..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(
                      resideOutsideOfPackages(
                          ROOT + ".auth..",
                          ROOT + ".revocation..",
                          ROOT + ".audit..",
                          ROOT + ".limits..",
                          ROOT + ".protocol..",
                          ROOT + ".config..",
                          ROOT + ".metrics..")));

  @ArchTest
  static final ArchRule revocationImportsOnlyTheBase =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".revocation..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(
                      resideOutsideOfPackages(
                          ROOT + ".revocation..",
                          ROOT + ".protocol.value..",
                          ROOT + ".config..",
                          ROOT + ".metrics..")));

  @ArchTest
  static final ArchRule auditImportsOnlyTheBase =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".audit..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(
                      resideOutsideOfPackages(
                          ROOT + ".audit..",
                          ROOT + ".limits..",
                          ROOT + ".config..",
                          ROOT + ".protocol.value..")));

  @ArchTest
  static final ArchRule valuesImportNoneOfOurs =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".protocol.value..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(resideOutsideOfPackages(ROOT + ".protocol.value..")));

  @ArchTest
  static final ArchRule protocolPackagesImportDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + ".protocol..")
          .layer("parser")
          .definedBy(ROOT + ".protocol.parser..")
          .layer("publish")
          .definedBy(ROOT + ".protocol.publish..")
          .layer("presence")
          .definedBy(ROOT + ".protocol.presence..")
          .layer("queue")
          .definedBy(ROOT + ".protocol.queue..")
          .layer("kernel")
          .definedBy(ROOT + ".protocol")
          .layer("value")
          .definedBy(ROOT + ".protocol.value..")
          .whereLayer("parser")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("publish")
          .mayOnlyBeAccessedByLayers("parser")
          .whereLayer("presence")
          .mayOnlyBeAccessedByLayers("parser")
          .whereLayer("queue")
          .mayOnlyBeAccessedByLayers("parser", "publish")
          .whereLayer("kernel")
          .mayOnlyBeAccessedByLayers("parser", "publish", "presence", "queue");

  @ArchTest
  static final ArchRule onlyJsonTextCreatesGenerators =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.JsonText")
          .should()
          .callMethodWhere(
              JavaCall.Predicates.target(HasName.Predicates.name("createGenerator"))
                  .and(
                      JavaCall.Predicates.target(
                          HasOwner.Predicates.With.owner(
                              JavaClass.Predicates.assignableTo(JsonFactory.class)))));

  /** A second factory could intern names of strangers, or read without bounds. */
  @ArchTest
  static final ArchRule onlyJsonReaderHasAFactory =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.value\\.(JsonReader|JsonText|VertxJson(\\$.*)?)")
          .should()
          .dependOnClassesThat(
              assignableTo(JsonFactory.class)
                  .or(assignableTo(TSFBuilder.class))
                  .or(assignableTo(ObjectCodec.class))
                  .or(assignableTo(JsonCodec.class))
                  .or(resideInAnyPackage("com.fasterxml.jackson.databind..", "org.jose4j.json..")));

  @ArchTest
  static final ArchRule onlyJsonReaderCreatesItsFactory =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.JsonReader")
          .should()
          .callMethodWhere(
              JavaCall.Predicates.target(HasName.Predicates.name("builder"))
                  .and(
                      JavaCall.Predicates.target(
                          HasOwner.Predicates.With.owner(assignableTo(JsonFactory.class)))))
          .orShould()
          .callConstructorWhere(
              JavaCall.Predicates.target(
                  HasOwner.Predicates.With.owner(assignableTo(JsonFactory.class))));

  @ArchTest
  static final ArchRule journalImportsOnlyProtocol =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".journal..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(resideOutsideOfPackages(ROOT + ".journal..", ROOT + ".protocol..")));

  @ArchTest
  static final ArchRule traceImportsOnlyTheBase =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".trace..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(
                      resideOutsideOfPackages(
                          ROOT + ".trace..",
                          ROOT + ".protocol..",
                          ROOT + ".config..",
                          ROOT + ".metrics..")));

  @ArchTest
  static final ArchRule onlyTraceUsesOpenTelemetry =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".trace..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.opentelemetry..");

  @ArchTest
  static final ArchRule onlyTheJournalSpeaksSql =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".journal..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.sqlite..");

  @ArchTest
  static final ArchRule onlyBrokerAndFeedSpeakJms =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".broker..", ROOT + ".feed..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.jms..", "org.apache.activemq..", "org.apache.artemis..");

  @ArchTest
  static final ArchRule brokerPackagesImportDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
          .layer("jms")
          .definedBy(ROOT + ".broker.jms..")
          .layer("request")
          .definedBy(ROOT + ".broker.request..")
          .layer("queue")
          .definedBy(ROOT + ".broker.queue..")
          .layer("provider")
          .definedBy(ROOT + ".broker.provider..")
          .layer("interface")
          .definedBy(ROOT + ".broker")
          .layer("root")
          .definedBy(ROOT)
          .whereLayer("jms")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("request")
          .mayOnlyBeAccessedByLayers("jms")
          .whereLayer("queue")
          .mayOnlyBeAccessedByLayers("jms")
          .whereLayer("provider")
          .mayOnlyBeAccessedByLayers("root", "jms", "request", "queue");

  @ArchTest
  static final ArchRule theHubsBrokerHasNoJms =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".broker")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.jms..", "org.apache.activemq..", "org.apache.artemis..");

  @ArchTest
  static final ArchRule onlyTheMembershipSpeaksToTheCluster =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, ROOT + ".membership..", ROOT + ".admin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.cluster..", "org.jgroups..");

  @ArchTest
  static final ArchRule onlyTheClientsPortHandlesChannels =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".http..", ROOT + ".admission..", ROOT + ".tls..", ROOT + ".socket..")
          .and()
          .haveNameNotMatching(".*\\.AdminTlsEngine.*") // counts accepted connections
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty.channel..", "io.netty.handler..");

  @ArchTest
  static final ArchRule onlyTheClientsPortAndAdminServeHttp =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".http..",
              ROOT + ".admission..",
              ROOT + ".tls..",
              ROOT + ".socket..",
              ROOT + ".admin..",
              ROOT + ".cli..") // the documentation site, and clients that train a node
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.core.http..", "io.vertx.core.net..");

  @ArchTest
  static final ArchRule onlyHandoverAndTransportUseVertxInternals =
      classes()
          .that()
          .resideInAnyPackage(
              ROOT + ".http..", ROOT + ".admission..", ROOT + ".tls..", ROOT + ".socket..")
          .and()
          .haveNameNotMatching(".*\\.(SocketHandover|ClientTransport(\\$.*)?)")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("io.vertx.core.impl..", "io.vertx.core.net.impl..");

  @ArchTest
  static final ArchRule onlyOptionsReadTheConfiguration =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, ROOT + ".cli..", ROOT + ".config..")
          .and()
          .haveNameNotMatching(".*(Options|Limits|Config|Rules)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName(ROOT + ".config.Config");

  @ArchTest
  static void noPackageHasMoreThan30Files(JavaClasses classes) {
    assertThat(PackageSizes.tooLarge(classes, 30)).isEmpty();
  }

  @ArchTest
  static void noCycleWithinAPackageHasMoreThan5Files(JavaClasses classes) {
    assertThat(PackageSizes.cyclesAbove(classes, 5)).isEmpty();
  }
}
