// The door of the core that widgets load for PTX: what they ask of it, and no more. `build.mjs` puts it beside the glue of that core, and in the
// place of the package; the worker for machine code has the package itself.
import { load } from "./load.js";

export { Session, check, fragment, tokens } from "./core_bg.js";

export default (address) => load(async () => address);
