/** Shows one section at a time on a phone; the style sheet shows all of them on wide screens. */
export class Tabs {
  #buttons;

  constructor(root) {
    this.#buttons = [...root.querySelectorAll("[data-to]")];
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.show(button.dataset.to));
    }
  }

  show(name) {
    if (document.body.dataset.tab === name) return;
    document.body.dataset.tab = name;
    for (const button of this.#buttons) {
      button.setAttribute("aria-current", String(button.dataset.to === name));
    }
    window.scrollTo(0, 0);
  }
}
