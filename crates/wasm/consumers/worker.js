import { usePackage } from "./app.js";

usePackage().then(postMessage, (error) => postMessage(`${error}`));
