/**
 * How large names and numbers of a figure are.
 *
 * @typedef {{name: number, number: number, largest: number}} TypeSizes  sizes of names, least and largest of numbers
 */

/** @param {number} screenWidth @param {boolean} lecture @returns {TypeSizes} chosen by hand for the last row of a room */
export function typeSizes(screenWidth, lecture) {
  if (lecture) return screenWidth < 700 ? { name: 15, number: 14, largest: 20 } : { name: 19, number: 20, largest: 30 };
  if (screenWidth < 700) return { name: 12, number: 10.5, largest: 15 };
  if (screenWidth < 1200) return { name: 12.5, number: 11, largest: 16 };
  if (screenWidth < 1800) return { name: 13, number: 11.5, largest: 17 };
  return { name: 15, number: 14, largest: 21 };
}
