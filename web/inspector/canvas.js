// Canvases at the pixel density of the screen.

/** Resizes a canvas to a size in CSS pixels, and returns its context with a transformation from CSS pixels to the pixels of the screen. */
export function fittedContext(canvas, width, height) {
  const density = globalThis.devicePixelRatio || 1;
  const size = [Math.ceil(width * density), Math.ceil(height * density)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) {
    [canvas.width, canvas.height] = size;
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const canvasContext = canvas.getContext("2d");
  canvasContext.setTransform(density, 0, 0, density, 0, 0);
  return canvasContext;
}
