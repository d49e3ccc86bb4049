import type { LngLat } from '../../drizzle/columns.ts';

/** Whether an outline encloses an area and no two of its edges cross or touch but at their corner. */
export function isSimple(corners: readonly LngLat[]): boolean {
  const edges = corners.map((from, i) => [from, corners[(i + 1) % corners.length]!] as const);
  const area = edges.reduce((sum, [a, b]) => sum + a.lng * b.lat - b.lng * a.lat, 0);
  if (area === 0) return false;
  return edges.every((one, i) =>
    edges.every((other, j) => {
      const gap = (j - i + edges.length) % edges.length;
      // Itself, and its neighbours, which share a corner with it.
      return gap <= 1 || gap === edges.length - 1 || !cross(one, other);
    }),
  );
}

type Edge = readonly [LngLat, LngLat];

function cross([a, b]: Edge, [c, d]: Edge): boolean {
  const apart = (p: LngLat, q: LngLat, of: LngLat, and: LngLat) => side(p, q, of) * side(p, q, and);
  return apart(a, b, c, d) <= 0 && apart(c, d, a, b) <= 0 && overlap([a, b], [c, d]);
}

/** On which side of a line a corner lies: 1, -1, or 0 on it. */
function side(p: LngLat, q: LngLat, r: LngLat): number {
  return Math.sign((q.lng - p.lng) * (r.lat - p.lat) - (q.lat - p.lat) * (r.lng - p.lng));
}

/** Whether the boxes around two edges meet: for edges on one line, which lie on no side of each other. */
function overlap([a, b]: Edge, [c, d]: Edge): boolean {
  return (['lng', 'lat'] as const).every(
    (axis) =>
      Math.max(a[axis], b[axis]) >= Math.min(c[axis], d[axis]) &&
      Math.max(c[axis], d[axis]) >= Math.min(a[axis], b[axis]),
  );
}
