// The start of the worker: loads the page's own module a second time, in its other role.
// The compiled core comes with the first message, so nothing is fetched or compiled twice.
addEventListener("message", async ({ data }) => {
  try {
    const core = await import(data.glue);
    await core.default({ module_or_path: data.module });
  } catch (error) {
    postMessage(String(error));
  }
}, { once: true });
