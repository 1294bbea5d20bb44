import { Component, effect } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { injectMessages, injectSluice, provideSluice } from "@sluice/client/angular";

const parameters = new URLSearchParams(location.search);
const { dataset } = document.documentElement;

@Component({ selector: "app-price", template: "<b>{{ view.payload() }}</b>" })
class Price {
  readonly view = injectMessages(parameters.get("topic") ?? "");

  constructor() {
    const client = injectSluice();
    effect(() => {
      if (this.view.payload() === undefined) return;
      client.publish("bundlers.echo", "hello").then(
        () => (dataset["result"] = "PASSED"),
        (error: Error) => (dataset["result"] = error.message),
      );
    });
  }
}

bootstrapApplication(Price, {
  providers: [provideSluice(parameters.get("url") ?? "")],
}).catch((error: Error) => (dataset["result"] = error.message));
