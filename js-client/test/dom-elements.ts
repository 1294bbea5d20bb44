import { Window } from "happy-dom";

// Custom elements extend a global class, so this module has to be imported first.
const window = new Window({ url: "http://localhost/" });
const { document, HTMLElement, customElements, CSSStyleSheet } = window;
Object.assign(globalThis, { document, HTMLElement, customElements, CSSStyleSheet });
