// Pictures that are made when they come into sight, one after the other: the file of an example goes in, a box that will hold its picture comes out.
import { example, picture } from "./core.js";
import { drawn, fill } from "./parts.js";

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

/** A box for the picture of an example. */
export function lazy(file) {
  const box = drawn();
  files.set(box, file);
  watch().observe(box);
  return box;
}
