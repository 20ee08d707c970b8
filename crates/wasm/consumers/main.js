// A page with results of the package in the page and in a worker, and with a widget.
import "warpgrid/widget";
import { usePackage } from "./app.js";

const show = (id, result) => { document.getElementById(id).textContent = JSON.stringify(result); };
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => show("worker", data);
worker.onerror = ({ message }) => show("worker", `failed: ${message}`);
usePackage().then((result) => show("page", result), (error) => show("page", `${error}`));
