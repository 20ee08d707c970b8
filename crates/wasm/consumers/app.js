// Calls the package in the same way in every consumer: in a page, in a worker and in Node.
import init, { Session, WarpgridError, check } from "warpgrid";

const source = "mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;";

/** Checks a source, runs the source, reads its memory, and makes an invalid call. */
export async function usePackage() {
  await init();
  const { accept } = check(source, { target: "sm_90" });
  const session = new Session({ source });
  session.run();
  const view = session.memoryView("p");
  const sum = new Uint32Array(view.buffer, view.byteOffset, view.length / 4).reduce((all, one) => all + one, 0);
  session.free();
  try {
    check(5);
  } catch (error) {
    return { accept, sum, isClass: error instanceof WarpgridError, code: error.code };
  }
}
