// Thumbnails that are rendered sequentially when they are scrolled into view.
import { example, picture } from "./worker-client.js";
import { drawn, fill } from "./dom.js";

const files = new WeakMap();
let watcher = null;

function watch() {
  watcher ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      fill(target, example(files.get(target)).then(picture));
    }
  }, { rootMargin: "200px" });
  return watcher;
}

/** Creates a container for the thumbnail of an example. */
export function lazy(file) {
  const box = drawn();
  files.set(box, file);
  watch().observe(box);
  return box;
}
