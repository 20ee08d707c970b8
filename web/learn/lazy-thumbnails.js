// Thumbnails that are rendered one after the other when they are scrolled into view.
import { fetchExample, thumbnail } from "./worker-client.js";
import { diagramContainer, renderDiagram } from "../dom.js";

const exampleByContainer = new WeakMap();
let observer = null;

function getObserver() {
  observer ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      renderDiagram(target, fetchExample(exampleByContainer.get(target)).then(thumbnail));
    }
  }, { rootMargin: "200px" });
  return observer;
}

/** Creates a container for the thumbnail of an example. */
export function lazyThumbnail(file) {
  const container = diagramContainer();
  exampleByContainer.set(container, file);
  getObserver().observe(container);
  return container;
}
