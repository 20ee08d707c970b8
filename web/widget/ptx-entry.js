// Subset of the npm package that the PTX worker of widgets uses. `build.mjs` copies this file next to the glue code of the WebAssembly
// module, and uses it in place of the package. The worker for SASS uses the package itself.
import { load } from "./load.js";

export { Session, check, fragment, tokens } from "./core_bg.js";

export default (address) => load(async () => address);
