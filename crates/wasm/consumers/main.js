// Shows results of the package from the page and from a worker, and shows a widget.
import "warpgrid/widget";
import { usePackage } from "./app.js";

const showResult = (id, result) => { document.getElementById(id).textContent = JSON.stringify(result); };
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => showResult("worker", data);
worker.onerror = ({ message }) => showResult("worker", `failed: ${message}`);
usePackage().then((result) => showResult("page", result), (error) => showResult("page", `${error}`));
