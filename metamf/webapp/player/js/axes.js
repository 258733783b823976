/**
 * Axes of a figure: where its cells stand along rows, columns and factors, in CSS pixels. Pure geometry.
 *
 * @typedef {{from: number, count: number, start: number, pitch: number}} Segment  cells of one size without a gap
 * @typedef {{count: number, segments: Segment[], gap: number, start: number, end: number}} Axis
 */

export const APART = 10; // pixels between the blocks of a product

/**
 * @param {number} start
 * @param {{count: number, pitch: number}[]} groups  a gap stands between them
 * @returns {Axis}
 */
export function axisOf(start, groups) {
  /** @type {Segment[]} */
  const segments = [];
  let at = start;
  let from = 0;
  for (const { count, pitch } of groups.filter((group) => group.count > 0)) {
    if (segments.length) at += APART / 2;
    segments.push({ from, count, start: at, pitch });
    at += count * pitch;
    from += count;
  }
  const finest = Math.min(...segments.map((segment) => segment.pitch));
  return { count: from, segments, gap: finest >= 7 ? 1 : 0, start, end: at };
}

/** @param {Axis} axis @param {number} at position of a cell @returns {[number, number]} where it begins, how large it is */
export function cellOn(axis, at) {
  const segment = axis.segments.find(({ from, count }) => at < from + count) ?? axis.segments[axis.segments.length - 1];
  return [segment.start + (at - segment.from) * segment.pitch, segment.pitch - axis.gap];
}

/** @param {Axis} axis @param {number} pixel @returns {number} position of the cell there; -1 beside all cells */
export function cellUnder(axis, pixel) {
  for (const { from, count, start, pitch } of axis.segments) {
    const at = Math.floor((pixel - start) / pitch);
    if (at >= 0 && at < count) return from + at;
  }
  return -1;
}

/** @param {number} size @param {number} density @returns {number} whole device pixels, where there are several */
export const snapped = (size, density) => (size * density >= 3 ? Math.floor(size * density) / density : Math.max(size, 0.5));
