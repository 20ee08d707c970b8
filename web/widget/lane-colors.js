// CSS colors of lanes for light and dark themes, which the element and the static snapshot use. The last three bits of the lane determine
// the hue, and the other bits determine the lightness, as in the playground.

const HUES = [255, 40, 145, 330, 95, 195, 295, 15];
const LIGHT = [0.86, 0.8, 0.74, 0.68];
const DARK = [0.55, 0.49, 0.43, 0.37];

/** Returns one CSS rule per lane. `prefix` precedes the class selector. */
export function laneColorRules(prefix = "") {
  const rule = (lane) => {
    const hue = HUES[lane % 8];
    const [light, dark] = [LIGHT[lane >> 3], DARK[lane >> 3]];
    return `${prefix}.lane-${lane}{background:light-dark(oklch(${light} .095 ${hue}),oklch(${dark} .105 ${hue}));color:light-dark(#16181d,#fff)}`;
  };
  return Array.from({ length: 32 }, (_, lane) => rule(lane)).join("\n");
}
